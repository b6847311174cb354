//! The span of a request to a service.

use super::UrlTemplate;
use baton_outbound::{OutboundError, OutboundReply, Target};
use baton_telemetry::{OpenSpan, Tracer, names};
use baton_types::{HttpTool, SpanKind, TraceContext};

/// Starts the span. The address is taken from the definition, without query; arguments are never recorded.
pub(super) fn begin(tracer: &Tracer, tool: &HttpTool, parent: Option<TraceContext>) -> OpenSpan {
    let method = match tool.method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        _ => "HTTP",
    };
    let mut span = tracer.start(SpanKind::Client, method, parent);
    if !span.is_on() {
        return span;
    }
    span.set(names::HTTP_REQUEST_METHOD, method);
    // An invalid address may contain anything and is not recorded.
    if UrlTemplate::parse(&tool.url).is_ok() {
        let url = tool.url.split('?').next().unwrap_or_default();
        span.set(names::URL_FULL, url.to_owned());
        let after = url.find("://").map_or(0, |at| at + 3);
        let origin = url[after..].find('/').map_or(url, |at| &url[..after + at]);
        if let Ok(target) = Target::parse(origin) {
            span.set(names::SERVER_ADDRESS, target.host());
            span.set(names::SERVER_PORT, u32::from(target.port()));
        }
    }
    span
}

/// Ends the span; every error status is an error for the client.
pub(super) fn end(mut span: OpenSpan, answered: Result<&OutboundReply, &OutboundError>) {
    match answered {
        Ok(reply) => {
            span.set(names::HTTP_RESPONSE_STATUS_CODE, u32::from(reply.status.as_u16()));
            if reply.status.is_client_error() || reply.status.is_server_error() {
                span.fail(reply.status.as_str().to_owned(), reply.status.canonical_reason().unwrap_or_default());
            }
        }
        Err(error) if error.is_forbidden() => span.fail("forbidden", "the address may not be called"),
        Err(error) if error.is_before_send() => span.fail("not_sent", "no connection could be made"),
        Err(_) => span.fail("broken", "the connection was interrupted"),
    }
}
