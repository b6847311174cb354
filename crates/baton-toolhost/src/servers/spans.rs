//! Spans of requests other than tool calls, whose span is recorded by the caller.

use super::{HostSettings, ServerError};
use crate::TransportKind;
use baton_telemetry::{OpenSpan, Tracer, names};
use baton_types::{AttributeKey, McpServer, SpanKind, TraceContext};
use std::sync::Arc;

/// Span factory for requests to one server.
#[derive(Clone)]
pub(super) struct RequestSpans {
    tracer: Tracer,
    server: Arc<str>,
    transport: Option<&'static str>,
}

impl RequestSpans {
    pub(super) fn new(settings: &HostSettings, server: &McpServer) -> Self {
        let transport = match TransportKind::from_transport(&server.transport) {
            TransportKind::Stdio => Some("pipe"),
            TransportKind::Http | TransportKind::Sse | TransportKind::Remote => Some("tcp"),
            TransportKind::Internal => None,
        };
        Self { tracer: settings.tracer.clone(), server: server.name.as_str().into(), transport }
    }

    /// Starts the span of a request; `name` is the prompt name, if any.
    pub(super) fn begin(&self, method: &'static str, name: Option<&str>, parent: Option<TraceContext>) -> OpenSpan {
        let named = name.filter(|_| self.tracer.is_on()).map(|name| format!("{method} {name}"));
        let mut span = self.tracer.start(
            SpanKind::Client,
            named.map_or(AttributeKey::Borrowed(method), AttributeKey::Owned),
            parent,
        );
        span.set(names::MCP_METHOD_NAME, method);
        span.set(names::RPC_SYSTEM, "jsonrpc");
        span.set_with(names::MCP_SERVER_NAME, || self.server.to_string());
        span.set_some(names::NETWORK_TRANSPORT, self.transport);
        span
    }
}

/// Records the error, without text from the server.
pub(super) fn record_failure(span: &mut OpenSpan, error: &ServerError) {
    match error {
        ServerError::Rejected { error, .. } => {
            let code = error.code.0.to_string();
            span.set(names::RPC_RESPONSE_STATUS_CODE, code.clone());
            span.fail(code, "the server refused");
        }
        ServerError::TimedOut { .. } => span.fail("timeout", "the server did not answer in time"),
        ServerError::Broken { .. } => span.fail("broken", "the connection was interrupted"),
        ServerError::NotReady { .. } => span.fail("not_ready", "the server is not ready"),
        ServerError::Unknown { .. } | ServerError::Invalid { .. } | ServerError::Expired => {
            span.fail("invalid", "the request could not be made");
        }
    }
}
