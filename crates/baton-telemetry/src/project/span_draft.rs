//! Builder of spans derived from the journal.

use crate::{SpanOrigin, names, shape::rewrite_attributes};
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanStatus, SpanValue,
    Timestamp, TraceContext, find_attribute,
};
use std::sync::Arc;

/// Maximum length of one attribute in bytes; the journal has the full text.
const MAX_ATTRIBUTE_BYTES: usize = 256 * 1024;

/// A span under construction.
pub(super) struct SpanDraft {
    pub(super) name: AttributeKey,
    pub(super) kind: SpanKind,
    /// Trace id and span id.
    pub(super) context: TraceContext,
    pub(super) parent: Option<SpanId>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) attributes: Attributes,
    pub(super) events: Vec<SpanEvent>,
    pub(super) links: Vec<SpanLink>,
    /// Error type and message, if it failed.
    pub(super) failed: Option<(AttributeKey, String)>,
}

impl SpanDraft {
    pub(super) fn new(
        name: impl Into<AttributeKey>,
        kind: SpanKind,
        context: TraceContext,
        parent: Option<SpanId>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            context,
            parent,
            start: 0,
            end: 0,
            attributes: Vec::with_capacity(16),
            events: Vec::new(),
            links: Vec::new(),
            failed: None,
        }
    }

    pub(super) fn between(mut self, start: u64, end: u64) -> Self {
        (self.start, self.end) = (start, end.max(start));
        self
    }

    pub(super) fn set(&mut self, key: &'static str, value: impl Into<SpanValue>) {
        self.attributes.push((AttributeKey::Borrowed(key), value.into()));
    }

    /// Sets an attribute that may be long; text over the limit is truncated.
    pub(super) fn set_text(&mut self, key: &'static str, text: &str) {
        let length = text.floor_char_boundary(MAX_ATTRIBUTE_BYTES);
        self.set(key, text[..length].to_owned());
        if length < text.len() && find_attribute(&self.attributes, names::BATON_CUT).is_none() {
            self.attributes.push((names::BATON_CUT.into(), SpanValue::Bool(true)));
        }
    }

    pub(super) fn fail(&mut self, code: impl Into<AttributeKey>, message: impl Into<String>) {
        self.failed = Some((code.into(), message.into()));
    }

    pub(super) fn finish(mut self, origin: &SpanOrigin) -> Span {
        let (status, status_message) = match self.failed.take() {
            Some((code, message)) => {
                self.set(names::ERROR_TYPE, SpanValue::Text(code));
                (SpanStatus::Error, message)
            }
            None => (SpanStatus::Unset, String::new()),
        };
        rewrite_attributes(&mut self.attributes, origin.settings.mode, origin.settings.schema);
        Span {
            trace: self.context.trace,
            id: self.context.span,
            parent: self.parent,
            trace_state: String::new(),
            flags: u32::from(self.context.flags),
            name: self.name,
            kind: self.kind,
            start: self.start,
            end: self.end,
            attributes: self.attributes,
            events: self.events,
            links: self.links,
            status,
            status_message,
            dropped: SpanDropCounts::default(),
            resource: Arc::clone(&origin.resource),
            scope: Arc::clone(&origin.scope),
        }
    }
}

/// Nanoseconds; the journal has millisecond resolution.
pub(super) fn nanos(at: Timestamp) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or(0).saturating_mul(1_000_000)
}

/// A span event.
pub(super) fn span_event(at: Timestamp, name: &'static str, attributes: Attributes) -> SpanEvent {
    SpanEvent { at: nanos(at), name: name.into(), attributes, dropped_attributes: 0 }
}
