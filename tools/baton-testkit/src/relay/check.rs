//! Invariants over both histories.

use super::{
    run::JobAnswer,
    stage::{FAR, WORKER},
};
use crate::History;
use baton_types::{ContextId, HandoffStatus, MessageId, TaskEvent, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// Result of the check.
pub(super) struct RelayFindings {
    pub(super) completed: usize,
    pub(super) reattached: usize,
    pub(super) violations: Vec<String>,
}

/// A submission of work to an agent.
struct SubmittedWork<'a> {
    context: &'a ContextId,
    message: &'a MessageId,
}

fn submissions_to<'a>(history: &'a History, to: &str) -> BTreeMap<&'a TaskId, SubmittedWork<'a>> {
    let submissions = history.all_facts().filter_map(|(task, _, fact)| match fact {
        TaskEvent::Submitted { agent, context, message, .. } if agent.as_str() == to => {
            Some((task, SubmittedWork { context, message: &message.id }))
        }
        _ => None,
    });
    submissions.collect()
}

/// Checks that every handoff completed and that its work was submitted to the far Baton once.
pub(super) fn check(handoffs: usize, answers: &[JobAnswer], near: &History, far: &History) -> RelayFindings {
    let mut violations = Vec::new();
    let mut completed = 0;
    if near.handoffs.len() != handoffs {
        violations.push(format!("{} handoffs for {handoffs} jobs", near.handoffs.len()));
    }
    for id in near.handoffs.keys() {
        match near.fold_handoff(id) {
            Some(Ok(record)) if record.status == HandoffStatus::Completed => completed += 1,
            Some(Ok(record)) => {
                violations.push(format!("handoff {id} is {}: {:?}", record.status.as_str(), record.error));
            }
            other => violations.push(format!("handoff {id} cannot be read: {other:?}")),
        }
    }
    let (children, work) = (submissions_to(near, FAR), submissions_to(far, WORKER));
    for (child, SubmittedWork { context, .. }) in &children {
        let there = work.values().filter(|submission| submission.context == *context).count();
        if there != 1 {
            violations.push(format!("the work of {child} was submitted {there} times"));
        }
    }
    let messages: BTreeSet<&MessageId> = work.values().map(|submission| submission.message).collect();
    if messages.len() != work.len() || work.len() != handoffs {
        violations.push(format!("{} tasks of {} messages for {handoffs} jobs", work.len(), messages.len()));
    }
    for JobAnswer { job, text, .. } in answers {
        if !text.contains(&format!("done with job-{job},")) {
            violations.push(format!("job {job} was answered with: {text}"));
        }
    }
    if answers.len() != handoffs {
        violations.push(format!("{} answers for {handoffs} jobs", answers.len()));
    }
    RelayFindings { completed, reattached: reattached(near, &children), violations }
}

/// Number of runs resumed after the request to the far Baton was recorded.
fn reattached(near: &History, children: &BTreeMap<&TaskId, SubmittedWork<'_>>) -> usize {
    let asked_then_resumed = |child: &TaskId| {
        let facts = near.facts(child).map(|(_, _, fact)| fact);
        let after = facts.skip_while(|fact| !matches!(fact, TaskEvent::PeerSendStarted { .. }));
        after.filter(|fact| matches!(fact, TaskEvent::RunResumed { .. })).count()
    };
    children.keys().map(|child| asked_then_resumed(child)).sum()
}
