//! Request span for handlers.

use baton_telemetry::{OpenSpan, SharedSpan, names, set_current_span};
use baton_types::{ErrorCode, TraceContext};
use http::{Extensions, HeaderMap};

/// W3C trace context header.
const TRACEPARENT: &str = "traceparent";

/// The span of a request; without one, the caller's trace context is passed on.
#[derive(Clone)]
pub struct RequestSpan {
    open: Option<SharedSpan>,
    caller_context: Option<TraceContext>,
}

impl RequestSpan {
    /// The span that the layer started for a request.
    pub fn from_request(extensions: &Extensions, headers: &HeaderMap) -> Self {
        match extensions.get::<SharedSpan>() {
            Some(open) => Self { open: Some(open.clone()), caller_context: None },
            None => Self { open: None, caller_context: parse_traceparent(headers) },
        }
    }

    /// Whether the span is recorded.
    pub fn is_on(&self) -> bool {
        self.open.is_some()
    }

    /// Edits the span.
    pub fn edit(&self, say: impl FnOnce(&mut OpenSpan)) {
        if let Some(open) = &self.open {
            open.edit(say);
        }
    }

    /// Trace context for the work of the request.
    pub fn context(&self) -> Option<TraceContext> {
        self.open.as_ref().map_or(self.caller_context, SharedSpan::context)
    }

    /// Trace context as text.
    pub fn trace(&self) -> Option<String> {
        self.context().map(|context| context.to_string())
    }

    /// Trace context for the work of the request once its message is parsed. If the headers contained no trace context,
    /// the span becomes a child of the one in the message.
    pub fn adopt_parent(&self, remote_parent: Option<TraceContext>) -> Option<TraceContext> {
        let (Some(open), Some(parent)) = (&self.open, remote_parent) else { return self.context().or(remote_parent) };
        open.edit(|span| span.adopt(parent));
        let context = open.context();
        set_current_span(context);
        context
    }

    /// Records a rejection; only server errors mark the span as failed.
    pub fn record_error(&self, code: ErrorCode, http_status: u16) {
        self.edit(|span| {
            span.set(names::ERROR_CODE, code.code);
            if http_status >= 500 {
                span.fail(code.code, code.title);
            }
        });
    }
}

/// Trace context from the request headers.
pub(super) fn parse_traceparent(headers: &HeaderMap) -> Option<TraceContext> {
    TraceContext::parse(headers.get(TRACEPARENT)?.to_str().ok()?)
}
