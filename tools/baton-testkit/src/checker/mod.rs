//! Invariants that hold after any number of crashes, as pure functions over the evidence.

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

/// The presentation that `baton-client` requests.
pub fn presentation(view: &TaskView) -> Presentation {
    let request = PresentationRequest { stream_text: true, tool_calls: true };
    Presentation::resolve(A2aSettings::default(), view.tool_execution, request)
}

/// A guarantee of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarantee {
    /// An acknowledged task exists and reaches a terminal state.
    Acknowledged,
    /// A run fails as a crash loop only after three crashes at the same event, the last one in isolation.
    CrashLoop,
    /// Every history is legal, and a task view equals its folded events.
    Folding,
    /// A handoff is sent once, to one child, and ends once.
    Handoff,
    /// A message with an idempotency key is recorded once.
    Idempotent,
    /// Event numbers have no gaps.
    Numbering,
    /// A push receiver gets every visible event, in order.
    Push,
    /// A subscriber receives every event once, in order, and ends with the text of the task.
    Stream,
    /// A tool runs no more often than its effects allow.
    Tool,
}

/// A violated guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// The task, handoff, call or message concerned.
    pub subject: String,
    /// Description of the violation.
    pub detail: String,
}

impl Violation {
    fn new(guarantee: Guarantee, subject: impl fmt::Display, detail: impl Into<String>) -> Self {
        Self { guarantee, subject: subject.to_string(), detail: detail.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}: {}", self.guarantee, self.subject, self.detail)
    }
}

/// Runs all checks.
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
