//! A run is given up only when it was going on at three crashes in a row at the same event, at last alone.

use super::{Promise, Violation};
use crate::Evidence;
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
    let (mut resumptions, mut was_alone) = (0, false);
    for (number, _, fact) in evidence.history.facts(id) {
        match fact {
            TaskEvent::RunResumed { alone, .. } => (resumptions, was_alone) = (resumptions + 1, *alone),
            TaskEvent::StatusChanged { reason: Some(reason), .. } if reason.code == ErrorCode::CRASH_LOOP.code => {
                if resumptions < RESUMPTIONS || !was_alone {
                    return Err(format!(
                        "event {number} gives the run up after {resumptions} resumptions; it was {}alone at the last",
                        if was_alone { "" } else { "not " }
                    ));
                }
            }
            TaskEvent::AttemptStarted { attempt, .. } if *attempt > 1 => {}
            TaskEvent::ToolStarted { call, .. } if !begun.insert(call) => {}
            _ => (resumptions, was_alone) = (0, false),
        }
    }
    Ok(())
}
