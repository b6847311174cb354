//! Every history is legal, and `GetTask` equals the folded events.

use super::{Guarantee, Violation, presentation};
use crate::Evidence;
use baton_wire::a2a::v1::{ArtifactInclusion, HistoryLength, Task};

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let history = &evidence.history;
    let mut violations = Vec::new();
    for id in history.tasks.keys() {
        match history.fold(id) {
            None => violations.push(Violation::new(Guarantee::Folding, id, "its events are not those of a task")),
            Some(Err(illegal)) => violations.push(Violation::new(Guarantee::Folding, id, illegal)),
            Some(Ok(task)) => violations.extend(evidence.views.get(id).and_then(|shown| {
                let view = task.view();
                let folded =
                    json(&Task::from_view(&view, HistoryLength::All, ArtifactInclusion::Include, presentation(&view)));
                let shown = json(shown);
                let detail = || format!("GetTask returns {shown}, its events fold to {folded}");
                (shown != folded).then(|| Violation::new(Guarantee::Folding, id, detail()))
            })),
        }
    }
    for id in history.handoffs.keys() {
        match history.fold_handoff(id) {
            None => violations.push(Violation::new(Guarantee::Folding, id, "its first event is not its creation")),
            Some(Err(illegal)) => violations.push(Violation::new(Guarantee::Folding, id, illegal)),
            Some(Ok(_)) => {}
        }
    }
    violations
}

fn json(task: &Task<'_>) -> serde_json::Value {
    serde_json::to_value(task).unwrap_or_default()
}
