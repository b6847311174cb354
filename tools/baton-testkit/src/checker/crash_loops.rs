//! A run fails as a crash loop only after three consecutive crashes at the same event, the last one in isolation.

use super::{Guarantee, Violation};
use crate::Evidence;
use baton_types::{CallId, ErrorCode, TaskEvent, TaskId};
use std::collections::BTreeSet;

/// The start after the third crash fails the run and records no resumption.
const RESUMPTIONS: usize = 2;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let judged = evidence.history.tasks.keys().filter_map(|task| Some((task, judge(evidence, task).err()?)));
    judged.map(|(task, detail)| Violation::new(Guarantee::CrashLoop, task, detail)).collect()
}

fn judge(evidence: &Evidence, id: &TaskId) -> Result<(), String> {
    let mut begun: BTreeSet<&CallId> = BTreeSet::new();
    let (mut resumptions, mut was_alone) = (0, false);
    for (number, _, fact) in evidence.history.facts(id) {
        match fact {
            TaskEvent::RunResumed { isolated: alone, .. } => (resumptions, was_alone) = (resumptions + 1, *alone),
            TaskEvent::StatusChanged { reason: Some(reason), .. } if reason.code == ErrorCode::CRASH_LOOP.code => {
                if resumptions < RESUMPTIONS || !was_alone {
                    return Err(format!(
                        "event {number} fails the run after {resumptions} resumptions; the last one was {}isolated",
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
