//! A send that was acknowledged: the task exists and ends.

use super::{Promise, Violation};
use crate::Evidence;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let broken = |task, detail: String| Some(Violation::new(Promise::Acknowledged, task, detail));
    let judge = |task| match evidence.history.fold(task) {
        None => broken(task, "it was acknowledged and does not exist".to_owned()),
        Some(Ok(folded)) if !folded.state.is_terminal() => {
            broken(task, format!("it was acknowledged and is still {}", folded.state.as_str()))
        }
        // An illegal history is reported as that.
        Some(_) => None,
    };
    let unended = evidence.acknowledged.iter().filter_map(judge);
    // Nobody may wait for the others, but none may be left lying about.
    let left = evidence.history.tasks.keys().filter_map(|task| match evidence.history.fold(task) {
        Some(Ok(folded)) if folded.is_active() => broken(task, format!("it was left {}", folded.state.as_str())),
        _ => None,
    });
    unended.chain(left).collect()
}
