//! Every push receiver gets every visible event of its task, in order.

use super::{Guarantee, Violation};
use crate::{Evidence, Receiver};
use baton_types::TaskId;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let begun = evidence.history.tasks_by_first_message();
    let judged = evidence.receivers.iter().filter_map(|receiver| {
        let tasks = begun.get(&receiver.message).map(Vec::as_slice).unwrap_or_default();
        Some((receiver, judge(evidence, receiver, tasks).err()?))
    });
    judged.map(|(receiver, detail)| Violation::new(Guarantee::Push, &receiver.message, detail)).collect()
}

fn judge(evidence: &Evidence, receiver: &Receiver, tasks: &[&TaskId]) -> Result<(), String> {
    match tasks {
        // The send was interrupted before the task was recorded.
        [] if receiver.attempts.is_empty() => Ok(()),
        [] => Err("a receiver was notified of a task that does not exist".to_owned()),
        [task] => match receiver.count_missing(&receiver.expected_payloads(&evidence.history, task))? {
            0 => Ok(()),
            missing => Err(format!("its last {missing} notifications were never accepted")),
        },
        tasks => Err(format!("its message submitted {} tasks", tasks.len())),
    }
}
