//! A message with an idempotency key is recorded once, regardless of the number of sends.

use super::{Guarantee, Violation};
use crate::{Evidence, KeyedMessage};
use baton_types::TaskId;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let recorded = evidence.history.tasks_by_message();
    let judged = evidence.keyed_messages.iter().filter_map(|keyed| {
        let tasks = recorded.get(&keyed.message).map(Vec::as_slice).unwrap_or_default();
        Some((keyed, judge(keyed, tasks).err()?))
    });
    judged.map(|(keyed, detail)| Violation::new(Guarantee::Idempotent, &keyed.message, detail)).collect()
}

fn judge(keyed: &KeyedMessage, recorded: &[&TaskId]) -> Result<(), String> {
    match (recorded, keyed.answers.as_slice()) {
        ([], []) => Ok(()),
        ([], answers) => Err(format!("it was answered {} times and never recorded", answers.len())),
        ([task], answers) => match answers.iter().find(|answer| answer != task) {
            Some(other) => Err(format!("it was recorded in task {task} and answered with task {other}")),
            None => Ok(()),
        },
        (recorded, _) => Err(format!("it was sent {} times and recorded {} times", keyed.sends, recorded.len())),
    }
}
