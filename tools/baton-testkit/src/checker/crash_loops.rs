//! A run is given up when, and only when, it brought the process down three times at the same event.

use super::{Promise, Violation};
use crate::Evidence;
use baton_rules::Task;
use baton_types::{CallId, ErrorCode, TaskEvent, TaskId};
use std::collections::BTreeSet;

/// The third death is found by the start that gives up, which records no resumption.
const RESUMPTIONS: usize = 2;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let judged = evidence.history.tasks.keys().filter_map(|task| Some((task, judge(evidence, task).err()?)));
    judged.map(|(task, detail)| Violation::new(Promise::CrashLoop, task, detail)).collect()
}

fn judge(evidence: &Evidence, id: &TaskId) -> Result<(), String> {
    let mut begun: BTreeSet<&CallId> = BTreeSet::new();
    let mut resumptions = 0;
    let mut folded: Option<Task> = None;
    for (number, at, fact) in evidence.history.facts(id) {
        let repeats = match fact {
            TaskEvent::AttemptStarted { attempt, .. } => *attempt > 1,
            TaskEvent::ToolStarted { call, .. } => !begun.insert(call),
            _ => false,
        };
        match fact {
            TaskEvent::RunResumed { .. } => {
                resumptions += 1;
                if resumptions > RESUMPTIONS && !folded.as_ref().is_some_and(only_waits) {
                    return Err(format!("event {number} resumes the run, which died {resumptions} times where it was"));
                }
            }
            TaskEvent::StatusChanged { reason: Some(reason), .. } if reason.code == ErrorCode::CRASH_LOOP.code => {
                if resumptions < RESUMPTIONS {
                    return Err(format!("event {number} gives the run up after {resumptions} resumptions"));
                }
            }
            _ if repeats => {}
            _ => resumptions = 0,
        }
        // An illegal history is reported as that.
        match &mut folded {
            Some(task) => drop(task.apply(at, fact)),
            None => folded = Task::submitted(id.clone(), at, fact).ok(),
        }
    }
    Ok(())
}

/// Waiting for another agent brings nothing down, however often it happens.
fn only_waits(task: &Task) -> bool {
    task.open_calls().next().is_some() && task.open_calls().all(|state| state.stage.is_handed_off())
}
