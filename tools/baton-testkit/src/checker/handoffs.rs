//! A handoff is sent once, to one child, and ends in exactly one terminal state.

use super::{Guarantee, Violation};
use crate::Evidence;
use baton_types::{CallId, HandoffEvent, HandoffId, ParentLink, TaskEvent, TaskId};
use std::collections::BTreeMap;

/// One `HandoffSent`.
struct SentHandoff<'a> {
    parent: &'a TaskId,
    call: &'a CallId,
    child: &'a TaskId,
}

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let mut sent: BTreeMap<&HandoffId, Vec<SentHandoff<'_>>> = BTreeMap::new();
    let mut by_call: BTreeMap<(&TaskId, &CallId), usize> = BTreeMap::new();
    let mut children: BTreeMap<&HandoffId, Vec<(&TaskId, &ParentLink)>> = BTreeMap::new();
    for (task, _, fact) in evidence.history.all_facts() {
        match fact {
            TaskEvent::HandoffSent { call, handoff, child, .. } => {
                sent.entry(handoff).or_default().push(SentHandoff { parent: task, call, child });
                *by_call.entry((task, call)).or_default() += 1;
            }
            TaskEvent::Submitted { parent: Some(link), .. } => {
                children.entry(&link.handoff).or_default().push((task, link));
            }
            _ => {}
        }
    }
    let mut violations = Vec::new();
    for ((task, call), times) in by_call.iter().filter(|(_, times)| **times > 1) {
        let detail = format!("call {call} of task {task} was handed off {times} times");
        violations.push(Violation::new(Guarantee::Handoff, call, detail));
    }
    for id in sent.keys().chain(children.keys()).filter(|id| !evidence.history.handoffs.contains_key(**id)) {
        violations.push(Violation::new(Guarantee::Handoff, id, "it has no record"));
    }
    for id in evidence.history.handoffs.keys() {
        let sent = sent.get(id).map(Vec::as_slice).unwrap_or_default();
        let children = children.get(id).map(Vec::as_slice).unwrap_or_default();
        let judged = judge(evidence, id, sent, children).err().into_iter().chain(check_end(evidence, id).err());
        violations.extend(judged.map(|detail| Violation::new(Guarantee::Handoff, id, detail)));
    }
    violations
}

fn judge(
    evidence: &Evidence,
    id: &HandoffId,
    sent: &[SentHandoff<'_>],
    children: &[(&TaskId, &ParentLink)],
) -> Result<(), String> {
    let [SentHandoff { parent, call, child }] = sent else { return Err(format!("it was sent {} times", sent.len())) };
    let [(child_task, link)] = children else { return Err(format!("it has {} children", children.len())) };
    let created = evidence.history.handoff_facts(id).filter_map(|fact| match fact {
        HandoffEvent::Created(handoff) => Some(handoff),
        HandoffEvent::StatusChanged { .. } | HandoffEvent::Rerouted { .. } => None,
    });
    let created: Vec<_> = created.collect();
    let [record] = created.as_slice() else { return Err(format!("it was created {} times", created.len())) };
    let same = child_task == child
        && link.task == **parent
        && record.parent_task.as_ref() == Some(*parent)
        && record.parent_call.as_ref() == Some(*call)
        && record.child_task.as_ref() == Some(*child);
    if same { Ok(()) } else { Err("parent, record and child are inconsistent".to_owned()) }
}

/// A handoff may stay open while its parent waits, but not after its parent has ended.
fn check_end(evidence: &Evidence, id: &HandoffId) -> Result<(), String> {
    let Some(Ok(record)) = evidence.history.fold_handoff(id) else { return Ok(()) };
    let ends = evidence.history.handoff_facts(id).filter(|fact| match fact {
        HandoffEvent::StatusChanged { to, .. } => to.is_terminal(),
        HandoffEvent::Created(_) | HandoffEvent::Rerouted { .. } => false,
    });
    match ends.count() {
        1 => Ok(()),
        0 => match record.handoff.parent_task.as_ref().and_then(|parent| evidence.history.fold(parent)) {
            Some(Ok(parent)) if !parent.state.is_terminal() => Ok(()),
            _ => Err(format!("it is {} although its parent has ended", record.status.as_str())),
        },
        ends => Err(format!("it ended {ends} times")),
    }
}
