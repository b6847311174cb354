//! The ids of spans that follow from the journal. They derive from what the journal holds, so whoever computes them, as
//! often as they like, before or after the facts are written, gets the same.

use baton_types::{CallId, HandoffId, MessageId, RunId, SpanId, TaskId, TraceContext, TraceId};

/// Inside of a run: in the trace of whoever asked for it, or in one of its own.
pub fn run_context(asked_in: Option<TraceContext>, task: &TaskId, run: &RunId) -> TraceContext {
    let span = SpanId::derived(&["run", task.as_str(), run.as_str()]);
    match asked_in {
        Some(context) => context.inside(span),
        None => TraceContext::new(TraceId::derived(&["task", task.as_str()]), span),
    }
}

/// A tool call of a run: the same call id may occur in another turn.
pub fn call_span(task: &TaskId, run: &RunId, turn: u32, call: &CallId) -> SpanId {
    SpanId::derived(&["call", task.as_str(), run.as_str(), &turn.to_string(), call.as_str()])
}

/// A model call.
pub fn attempt_span(task: &TaskId, message: &MessageId, attempt: u32) -> SpanId {
    SpanId::derived(&["attempt", task.as_str(), message.as_str(), &attempt.to_string()])
}

/// A handoff.
pub fn handoff_span(handoff: &HandoffId) -> SpanId {
    SpanId::derived(&["handoff", handoff.as_str()])
}

/// A question, by the number of the event that asked it.
pub(crate) fn question_span(task: &TaskId, number: u64) -> SpanId {
    SpanId::derived(&["question", task.as_str(), &number.to_string()])
}

/// The trace of a handoff that nobody else gave one.
pub fn handoff_context(asked_in: Option<TraceContext>, handoff: &HandoffId) -> TraceContext {
    let span = handoff_span(handoff);
    match asked_in {
        Some(context) => context.inside(span),
        None => TraceContext::new(TraceId::derived(&["handoff", handoff.as_str()]), span),
    }
}
