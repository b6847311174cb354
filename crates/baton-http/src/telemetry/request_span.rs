//! The span of a request as handlers know it.

use baton_telemetry::{OpenSpan, SharedSpan, move_into, names};
use baton_types::TraceContext;
use baton_wire::a2a::v1::Error;
use http::{Extensions, HeaderMap};

/// The header that says in which span a request is made.
const TRACEPARENT: &str = "traceparent";

/// The span of a request; without one, what the caller brought is passed on.
#[derive(Clone)]
pub(crate) struct RequestSpan {
    open: Option<SharedSpan>,
    came: Option<TraceContext>,
}

impl RequestSpan {
    /// The span that the layer made for a request.
    pub(crate) fn of(extensions: &Extensions, headers: &HeaderMap) -> Self {
        match extensions.get::<SharedSpan>() {
            Some(open) => Self { open: Some(open.clone()), came: None },
            None => Self { open: None, came: came(headers) },
        }
    }

    /// Whether anybody will see it.
    pub(crate) fn is_on(&self) -> bool {
        self.open.is_some()
    }

    /// Says something about it.
    pub(crate) fn say(&self, say: impl FnOnce(&mut OpenSpan)) {
        if let Some(open) = &self.open {
            open.edit(say);
        }
    }

    /// What the work of the request carries.
    pub(crate) fn context(&self) -> Option<TraceContext> {
        self.open.as_ref().map_or(self.came, SharedSpan::context)
    }

    /// The same as text.
    pub(crate) fn trace(&self) -> Option<String> {
        self.context().map(|context| context.to_string())
    }

    /// What the work of the request carries, once its message was read: a request whose headers named no span happens
    /// inside of the one that its message names.
    pub(crate) fn inside(&self, carried: Option<TraceContext>) -> Option<TraceContext> {
        let (Some(open), Some(parent)) = (&self.open, carried) else { return self.context().or(carried) };
        open.edit(|span| span.adopt(parent));
        let context = open.context();
        move_into(context);
        context
    }

    /// Notes a refusal; only those that are our own fault are errors.
    pub(crate) fn refused(&self, error: &Error) {
        self.say(|span| {
            span.set(names::ERROR_CODE, error.code.code);
            if error.kind.http_status() >= 500 {
                span.fail(error.code.code, error.code.title);
            }
        });
    }
}

/// The span in which a request was made, when its header says one.
pub(super) fn came(headers: &HeaderMap) -> Option<TraceContext> {
    TraceContext::parse(headers.get(TRACEPARENT)?.to_str().ok()?)
}
