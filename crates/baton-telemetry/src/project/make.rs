//! A span from what the journal says.

use crate::{Origin, names, shape::shape};
use baton_types::{
    Attributes, Dropped, Key, Span, SpanEvent, SpanId, SpanKind, SpanLink, SpanStatus, Timestamp, TraceContext, Value,
    find_attribute,
};
use std::sync::Arc;

/// Bytes of one attribute; the journal has the whole of it.
const LONGEST_TEXT: usize = 256 * 1024;

/// What goes into a span.
pub(super) struct Draft {
    pub(super) name: Key,
    pub(super) kind: SpanKind,
    /// The trace, and the span itself.
    pub(super) context: TraceContext,
    pub(super) parent: Option<SpanId>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) attributes: Attributes,
    pub(super) events: Vec<SpanEvent>,
    pub(super) links: Vec<SpanLink>,
    /// A stable word and a sentence, when it ended badly.
    pub(super) failed: Option<(Key, String)>,
}

impl Draft {
    pub(super) fn new(name: impl Into<Key>, kind: SpanKind, context: TraceContext, parent: Option<SpanId>) -> Self {
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

    pub(super) fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        self.attributes.push((Key::Borrowed(key), value.into()));
    }

    /// Says what may be long; far more than anybody reads is cut.
    pub(super) fn set_text(&mut self, key: &'static str, text: &str) {
        let most = text.floor_char_boundary(LONGEST_TEXT);
        self.set(key, text[..most].to_owned());
        if most < text.len() && find_attribute(&self.attributes, names::BATON_CUT).is_none() {
            self.attributes.push((names::BATON_CUT.into(), Value::Bool(true)));
        }
    }

    pub(super) fn fail(&mut self, word: impl Into<Key>, sentence: impl Into<String>) {
        self.failed = Some((word.into(), sentence.into()));
    }

    pub(super) fn finish(mut self, origin: &Origin) -> Span {
        let (status, status_message) = match self.failed.take() {
            Some((word, sentence)) => {
                self.set(names::ERROR_TYPE, Value::Text(word));
                (SpanStatus::Error, sentence)
            }
            None => (SpanStatus::Unset, String::new()),
        };
        shape(&mut self.attributes, origin.settings.mode, origin.settings.schema);
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
            dropped: Dropped::default(),
            resource: Arc::clone(&origin.resource),
            scope: Arc::clone(&origin.scope),
        }
    }
}

/// The journal knows moments to the millisecond.
pub(super) fn nanos(at: Timestamp) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or(0).saturating_mul(1_000_000)
}

/// Something that happened at one moment.
pub(super) fn moment(at: Timestamp, name: &'static str, attributes: Attributes) -> SpanEvent {
    SpanEvent { at: nanos(at), name: name.into(), attributes, dropped_attributes: 0 }
}
