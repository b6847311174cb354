//! An acknowledged task exists and reaches a terminal state.

use super::{Guarantee, Violation};
use crate::Evidence;

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let broken = |task, detail: String| Some(Violation::new(Guarantee::Acknowledged, task, detail));
    let judge = |task| match evidence.history.fold(task) {
        None => broken(task, "it was acknowledged but does not exist".to_owned()),
        Some(Ok(folded)) if !folded.state.is_terminal() => {
            broken(task, format!("it was acknowledged but is still {}", folded.state.as_str()))
        }
        // An illegal history is reported by the folding check.
        Some(_) => None,
    };
    let unended = evidence.acknowledged.iter().filter_map(judge);
    // Other tasks may wait for input, but none may still be active.
    let left = evidence.history.tasks.keys().filter_map(|task| match evidence.history.fold(task) {
        Some(Ok(folded)) if folded.is_active() => broken(task, format!("it is still {}", folded.state.as_str())),
        _ => None,
    });
    unended.chain(left).collect()
}
