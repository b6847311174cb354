//! Span attributes of requests and replies: ids and states, never content.

use crate::CallError;
use baton_telemetry::{OpenSpan, names};
use baton_wire::a2a::v1::{SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskState, with_traceparent};

/// Records the message, and adds the trace context to its metadata: some peers see no headers.
pub(super) fn message(span: &mut OpenSpan, request: &mut SendMessageRequest<'static>) {
    let Some(message) = &mut request.message else { return };
    span.set(names::A2A_MESSAGE_ID, message.message_id.to_string());
    if let Some(task) = &message.task_id {
        span.set(names::A2A_TASK_ID, task.to_string());
    }
    if let Some(conversation) = &message.context_id {
        span.set(names::GEN_AI_CONVERSATION_ID, conversation.to_string());
    }
    if let Some(context) = span.context() {
        message.metadata = with_traceparent(message.metadata.as_ref(), context);
    }
}

pub(super) fn task(span: &mut OpenSpan, task: &Task<'_>) {
    set_task(span, &task.id, &task.context_id, Some(task.status.state));
}

pub(super) fn response(span: &mut OpenSpan, response: &SendMessageResponse<'_>) {
    match (&response.task, &response.message) {
        (Some(shown), _) => task(span, shown),
        (None, Some(message)) => {
            set_task(span, "", message.context_id.as_deref().unwrap_or_default(), None);
        }
        (None, None) => {}
    }
}

pub(super) fn item(span: &mut OpenSpan, item: &StreamResponse<'_>) {
    if let Some(shown) = &item.task {
        task(span, shown);
    } else if let Some(update) = &item.status_update {
        set_task(span, &update.task_id, &update.context_id, Some(update.status.state));
    }
}

fn set_task(span: &mut OpenSpan, task: &str, context: &str, state: Option<TaskState>) {
    if !task.is_empty() {
        span.set(names::A2A_TASK_ID, task.to_owned());
    }
    if !context.is_empty() {
        span.set(names::GEN_AI_CONVERSATION_ID, context.to_owned());
    }
    span.set_some(names::A2A_TASK_STATE, state.map(TaskState::as_str));
}

/// Records the error without the peer's message, which may contain anything.
pub(super) fn failure(span: &mut OpenSpan, error: &CallError) {
    match error {
        CallError::NotSent(_) => span.fail("not_sent", "no connection could be made"),
        CallError::Forbidden(_) => span.fail("forbidden", "the request may not be made"),
        CallError::ConnectionLost(_) => span.fail("broken", "the connection was interrupted"),
        CallError::InvalidReply(_) => span.fail("unintelligible", "the answer is not A2A"),
        CallError::Refused { code, status, .. } => {
            span.set(names::RPC_RESPONSE_STATUS_CODE, code.to_string());
            span.set(names::HTTP_RESPONSE_STATUS_CODE, u32::from(*status));
            span.fail(code.to_string(), "the remote agent refused");
        }
    }
}
