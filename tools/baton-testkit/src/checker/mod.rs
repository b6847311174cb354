//! What must hold after any number of crashes, as pure functions over what was collected.

mod acknowledged;
mod crash_loops;
mod folding;
mod handoffs;
mod keys;
mod numbering;
mod pushes;
mod streams;
mod tools;

use crate::Evidence;
use baton_types::{A2aSettings, TaskView};
use baton_wire::a2a::v1::{Presentation, PresentationRequest};
use std::fmt;

/// The form in which `baton-client` asks to see tasks.
pub fn presentation(view: &TaskView) -> Presentation {
    let request = PresentationRequest { stream_text: true, tool_calls: true };
    Presentation::resolve(A2aSettings::default(), view.tool_execution, request)
}

/// A promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// An acknowledged task exists and ends.
    Acknowledged,
    /// A run is given up only when it was going on at three crashes at the same event, at last alone.
    CrashLoop,
    /// Every history is a legal one, and what is shown of a task is what its events amount to.
    Folding,
    /// A handoff is sent once, to one child, and ends once.
    Handoff,
    /// A message under an idempotency key is said once.
    Idempotent,
    /// Events are numbered without holes.
    Numbering,
    /// A receiver is told of every event that is shown, in order.
    Push,
    /// A subscriber sees every event once, in order, and ends with the text of the task.
    Stream,
    /// A tool runs no more often than its effects allow.
    Tool,
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub promise: Promise,
    /// The task, handoff, call or message concerned.
    pub subject: String,
    /// What happened.
    pub detail: String,
}

impl Violation {
    fn new(promise: Promise, subject: impl fmt::Display, detail: impl Into<String>) -> Self {
        Self { promise, subject: subject.to_string(), detail: detail.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}: {}", self.promise, self.subject, self.detail)
    }
}

/// Everything that was promised and does not hold.
pub fn check(evidence: &Evidence) -> Vec<Violation> {
    let checks = [
        numbering::check,
        folding::check,
        acknowledged::check,
        streams::check,
        tools::check,
        handoffs::check,
        crash_loops::check,
        pushes::check,
        keys::check,
    ];
    checks.iter().flat_map(|check| check(evidence)).collect()
}
