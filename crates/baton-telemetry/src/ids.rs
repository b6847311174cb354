//! Ids of spans derived from the journal. They are deterministic: every computation yields the same ids, before or
//! after the events are written.

use baton_types::{CallId, HandoffId, MessageId, RunId, SpanId, TaskId, TraceContext, TraceId};

/// Context of a run: in the trace of the requester, or in a trace of its own.
pub fn run_context(asked_in: Option<TraceContext>, task: &TaskId, run: &RunId) -> TraceContext {
    let span = SpanId::derive(&["run", task.as_str(), run.as_str()]);
    match asked_in {
        Some(context) => context.with_span(span),
        None => TraceContext::new(TraceId::derive(&["task", task.as_str()]), span),
    }
}

/// Span id of a tool call in a run; the same call id may occur in another turn.
pub fn call_span(task: &TaskId, run: &RunId, turn: u32, call: &CallId) -> SpanId {
    SpanId::derive(&["call", task.as_str(), run.as_str(), &turn.to_string(), call.as_str()])
}

/// Span id of a model call.
pub fn attempt_span(task: &TaskId, message: &MessageId, attempt: u32) -> SpanId {
    SpanId::derive(&["attempt", task.as_str(), message.as_str(), &attempt.to_string()])
}

/// Span id of a handoff.
pub fn handoff_span(handoff: &HandoffId) -> SpanId {
    SpanId::derive(&["handoff", handoff.as_str()])
}

/// Span id of a question, by the number of its event.
pub(crate) fn question_span(task: &TaskId, number: u64) -> SpanId {
    SpanId::derive(&["question", task.as_str(), &number.to_string()])
}

/// Context of a handoff: in the trace of the requester, or in a trace of its own.
pub fn handoff_context(asked_in: Option<TraceContext>, handoff: &HandoffId) -> TraceContext {
    let span = handoff_span(handoff);
    match asked_in {
        Some(context) => context.with_span(span),
        None => TraceContext::new(TraceId::derive(&["handoff", handoff.as_str()]), span),
    }
}
