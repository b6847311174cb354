//! Ids of responses.

use baton_types::TaskId;
use std::fmt;

/// Number of the event that sets the run options of a task's first turn.
const FIRST_TURN_EVENT: u64 = 2;

/// A turn of a task, identified by the event that sets its run options.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResponseId {
    /// The task.
    pub task: TaskId,
    /// Number of its [`baton_types::TaskEvent::RunOptionsSet`] event.
    pub event_number: u64,
}

impl ResponseId {
    /// The first turn of a task.
    pub fn first(task: TaskId) -> Self {
        Self { task, event_number: FIRST_TURN_EVENT }
    }

    /// Parses the output of [`fmt::Display`]; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("resp_")?;
        let (task, at) = match rest.split_once('_') {
            None => (rest, FIRST_TURN_EVENT),
            Some((task, at)) => {
                let number: u64 = at.parse().ok()?;
                let is_usual = number > FIRST_TURN_EVENT && number.to_string() == at;
                (task, is_usual.then_some(number)?)
            }
        };
        let is_task = !task.is_empty() && task.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_task.then(|| Self { task: task.into(), event_number: at })
    }
}

impl fmt::Display for ResponseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.event_number {
            FIRST_TURN_EVENT => write!(f, "resp_{}", self.task),
            at => write!(f, "resp_{}_{at}", self.task),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_ids_round_trip_and_others_are_rejected() {
        for (text, expect) in [
            ("resp_01-ab", Some(("01-ab", 2))),
            ("resp_01-ab_17", Some(("01-ab", 17))),
            ("resp_01-ab_2", None),
            ("resp_01-ab_1", None),
            ("resp_01-ab_017", None),
            ("resp_01-ab_+17", None),
            ("resp_01_ab_17", None),
            ("resp_", None),
            ("resp_a/b", None),
            ("msg_01-ab", None),
        ] {
            let id = ResponseId::parse(text);
            assert_eq!(id.as_ref().map(|id| (id.task.as_str(), id.event_number)), expect, "{text}");
            if let Some(id) = id {
                assert_eq!(id.to_string(), text);
            }
        }
    }
}
