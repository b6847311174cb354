//! The request's span, created by the surface in front; handlers add the attributes that only they know.

use baton_telemetry::{SharedSpan, in_span, names};
use baton_types::{AttributeKey, SpanValue, TraceContext};
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResponse, ErrorCode},
    service::RequestContext,
};

/// Error codes caused by the caller.
const CALLER_ERROR_CODES: [ErrorCode; 5] = [
    ErrorCode::PARSE_ERROR,
    ErrorCode::INVALID_REQUEST,
    ErrorCode::METHOD_NOT_FOUND,
    ErrorCode::INVALID_PARAMS,
    ErrorCode::RESOURCE_NOT_FOUND,
];

/// The span of a request, if the surface created one.
pub(crate) fn span(context: &RequestContext<RoleServer>) -> Option<&SharedSpan> {
    context.extensions.get::<Parts>()?.extensions.get()
}

/// Trace context for the work of a request: that of its span, or the `traceparent` of the header or of the message.
pub(crate) fn trace_context(context: &RequestContext<RoleServer>) -> Option<TraceContext> {
    if let Some(span) = span(context) {
        return span.context();
    }
    let parts = context.extensions.get::<Parts>();
    let header = parts.and_then(|parts| parts.headers.get("traceparent")?.to_str().ok());
    let member = context.meta.get("traceparent").and_then(|value| value.as_str());
    header.and_then(TraceContext::parse).or_else(|| member.and_then(TraceContext::parse))
}

/// Sets an attribute on the request's span.
pub(crate) fn set_attribute(context: &RequestContext<RoleServer>, key: &'static str, value: impl Into<SpanValue>) {
    if let Some(span) = span(context) {
        span.edit(|span| span.set(key, value));
    }
}

/// Runs `answer` inside the request's span and records an error on it.
pub(crate) async fn run_in_span<T>(
    context: &RequestContext<RoleServer>,
    answer: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let Some(span) = span(context) else { return answer.await };
    let answered = in_span(span.context(), answer).await;
    if let Err(error) = &answered {
        span.edit(|span| {
            let code = error.code.0.to_string();
            if !CALLER_ERROR_CODES.contains(&error.code) {
                span.fail(AttributeKey::from(code.clone()), "");
            }
            span.set(names::RPC_RESPONSE_STATUS_CODE, code);
        });
    }
    answered
}

/// Runs a tool call inside the request's span; a failed tool also marks the span as failed.
pub(crate) async fn run_call_in_span(
    context: &RequestContext<RoleServer>,
    answer: impl Future<Output = Result<CallToolResponse, ErrorData>>,
) -> Result<CallToolResponse, ErrorData> {
    let answered = run_in_span(context, answer).await;
    if let (Ok(CallToolResponse::Complete(result)), Some(span)) = (&answered, span(context))
        && result.is_error == Some(true)
    {
        span.edit(|span| span.fail("tool_error", ""));
    }
    answered
}
