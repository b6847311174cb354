//! Notifications that one push receiver got for a task.

use crate::{History, WebhookArrival};
use baton_rules::TaskRecord;
use baton_types::{A2aSettings, MessageId, PushDialect, TaskEvent, TaskId};
use baton_wire::a2a::{v1, v03};
use serde_json::Value;
use std::collections::BTreeSet;

/// A push receiver registered for the task submitted with a message, and its notifications.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The message that submitted the task.
    pub message: MessageId,
    /// Payload dialect.
    pub dialect: PushDialect,
    /// Number of the last event before registration; 0 if registered with the message.
    pub after: u64,
    /// All delivery attempts, in order.
    pub attempts: Vec<DeliveryAttempt>,
}

/// One delivery attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryAttempt {
    /// Payload.
    pub body: Value,
    /// Whether the receiver accepted it.
    pub accepted: bool,
}

impl From<&WebhookArrival> for DeliveryAttempt {
    fn from(arrival: &WebhookArrival) -> Self {
        Self { body: arrival.body.clone(), accepted: arrival.is_accepted() }
    }
}

impl Receiver {
    /// Expected payloads for the task, in order.
    pub fn expected_payloads(&self, history: &History, task: &TaskId) -> Vec<Value> {
        let mut folded: Option<TaskRecord> = None;
        let mut payloads = Vec::new();
        for (number, at, fact) in history.facts(task) {
            // An illegal history is reported by the folding check.
            match &mut folded {
                Some(task) => drop(task.apply(at, fact)),
                None => folded = TaskRecord::from_submission(task.clone(), at, fact).ok(),
            }
            let Some(folded) = folded.as_ref().filter(|_| number > self.after && fact.is_visible()) else { continue };
            let view = folded.view();
            let presentation = {
                let request = v1::PresentationRequest::default();
                v1::Presentation::resolve(A2aSettings::default(), view.tool_execution, request)
            };
            let full_task =
                || v1::Task::from_view(&view, v1::HistoryLength::All, v1::ArtifactInclusion::Include, presentation);
            let answered = view.status_message.as_ref().is_some_and(|message| view.has_artifact_of(message));
            let body = match (self.dialect, fact) {
                (PushDialect::V03, _) => Some(json(&v03::Task::from(full_task()))),
                (PushDialect::V1, TaskEvent::Submitted { .. }) => Some(json(&v1::StreamResponse::from(full_task()))),
                (PushDialect::V1, _) => {
                    v1::project(task, &folded.context, at, fact, presentation, answered).map(|item| json(&item))
                }
            };
            payloads.extend(body);
        }
        payloads
    }

    /// Number of expected payloads that were not accepted, or the first unexpected attempt. Each payload must follow
    /// the acceptance of the previous one. After a crash the last accepted payload may be repeated, because its
    /// acceptance may not have been recorded; no other payload may be repeated.
    pub fn count_missing(&self, payloads: &[Value]) -> Result<usize, String> {
        // Two events may have equal payloads, so several positions can match.
        let mut positions = BTreeSet::from([0]);
        for (index, attempt) in self.attempts.iter().enumerate() {
            let is = |at: usize| payloads.get(at) == Some(&attempt.body);
            let understood: BTreeSet<usize> = positions
                .iter()
                .flat_map(|&next| {
                    let again = (next > 0 && is(next - 1)).then_some(next);
                    let new = is(next).then_some(if attempt.accepted { next + 1 } else { next });
                    again.into_iter().chain(new)
                })
                .collect();
            if understood.is_empty() {
                let (number, expected) = (index + 1, positions.iter().next_back().and_then(|&next| payloads.get(next)));
                let expected = expected.map_or("nothing more".to_owned(), ToString::to_string);
                return Err(format!("notification {number} was {}, expected {expected}", attempt.body));
            }
            positions = understood;
        }
        let accepted_count = positions.iter().next_back().copied().unwrap_or_default();
        Ok(payloads.len() - accepted_count)
    }
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
