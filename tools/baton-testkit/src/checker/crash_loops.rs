//! A run is given up only after it brought the process down three times at the same event.

use super::{Promise, Violation};
use crate::Evidence;
use baton_types::{ErrorCode, TaskEvent};

/// The third death is found by the start that gives up, which records no resumption.
const RESUMPTIONS: usize = 2;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    evidence
        .history
        .tasks
        .keys()
        .filter_map(|task| {
            let mut resumed: Vec<u64> = Vec::new();
            for (number, _, fact) in evidence.history.facts(task) {
                match fact {
                    TaskEvent::RunStarted { .. } => resumed.clear(),
                    TaskEvent::RunResumed { after, .. } => resumed.push(*after),
                    TaskEvent::StatusChanged { reason: Some(reason), .. }
                        if reason.code == ErrorCode::CRASH_LOOP.code =>
                    {
                        let last = resumed.last();
                        let deaths = resumed.iter().filter(|after| Some(*after) == last).count();
                        let detail = format!("event {number} gives the run up after {deaths} resumptions: {resumed:?}");
                        return (deaths < RESUMPTIONS).then(|| Violation::new(Promise::CrashLoop, task, detail));
                    }
                    _ => {}
                }
            }
            None
        })
        .collect()
}
