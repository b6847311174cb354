//! Span of a push notification.

use baton_outbound::{OutboundError, OutboundReply, Target};
use baton_ports::TaskNotification;
use baton_telemetry::{OpenSpan, Tracer, names};
use baton_types::{SpanKind, TraceContext};
use baton_wire::a2a::v1::TaskState;
use http::{HeaderMap, HeaderName, HeaderValue};

const TRACE: HeaderName = HeaderName::from_static("traceparent");

/// Starts the span as a child of the event's trace and adds the `traceparent` header. Only host and port are recorded:
/// the paths of receivers are often secret.
pub(crate) fn begin(
    tracer: &Tracer,
    notice: TaskNotification<'_>,
    target: &Target,
    headers: &mut HeaderMap,
) -> OpenSpan {
    let parent = notice.event.trace.as_deref().and_then(TraceContext::parse);
    let mut span = tracer.start(SpanKind::Client, "POST", parent);
    if !span.is_on() {
        return span;
    }
    span.set(names::HTTP_REQUEST_METHOD, "POST");
    span.set(names::SERVER_ADDRESS, target.host());
    span.set(names::SERVER_PORT, u32::from(target.port()));
    span.set(names::GEN_AI_AGENT_NAME, notice.task.agent.as_str().to_owned());
    span.set(names::GEN_AI_CONVERSATION_ID, notice.task.context.as_str().to_owned());
    span.set(names::A2A_TASK_ID, notice.task.id.as_str().to_owned());
    span.set(names::A2A_TASK_STATE, TaskState::from(notice.task.state).as_str());
    if let Some(value) = span.context().and_then(|context| HeaderValue::from_str(&context.to_string()).ok()) {
        headers.insert(TRACE, value);
    }
    span
}

/// Ends the span; every status other than 2xx is an error.
pub(crate) fn end(mut span: OpenSpan, answered: Result<&OutboundReply, &OutboundError>) {
    match answered {
        Ok(reply) => {
            span.set(names::HTTP_RESPONSE_STATUS_CODE, u32::from(reply.status.as_u16()));
            if !reply.status.is_success() {
                span.fail(reply.status.as_str().to_owned(), reply.status.canonical_reason().unwrap_or_default());
            }
        }
        Err(error) if error.is_forbidden() => span.fail("forbidden", "the address may not be called"),
        Err(error) if error.is_before_send() => span.fail("not_sent", "no connection could be made"),
        Err(_) => span.fail("broken", "the connection was interrupted"),
    }
}
