//! Spans: what happened, when, as part of which trace. They are a record; the journal stays the truth.

use crate::{SpanId, TraceId};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};

/// The name of an attribute; those of this Baton are constants.
pub type Key = Cow<'static, str>;

/// Attributes in the order in which they were set; a key occurs once.
pub type Attributes = Vec<(Key, Value)>;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Text.
    Text(Cow<'static, str>),
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Several values.
    List(Vec<Value>),
    /// Values by name.
    Map(Attributes),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Nothing.
    Empty,
}

/// Which side of what a span is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpanKind {
    /// Nobody said.
    Unspecified,
    /// Within a process.
    #[default]
    Internal,
    /// Somebody else's request is answered.
    Server,
    /// Somebody else is asked.
    Client,
    /// Work is left for somebody to take later.
    Producer,
    /// Such work is taken.
    Consumer,
}

/// How it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpanStatus {
    /// Nobody said.
    #[default]
    Unset,
    /// Well, and somebody said so.
    Ok,
    /// Badly.
    Error,
}

/// Something that happened at one moment of a span.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanEvent {
    /// When, in nanoseconds since the Unix epoch.
    pub at: u64,
    /// What.
    pub name: Key,
    /// More about it.
    pub attributes: Attributes,
    /// Attributes that were dropped before the span came here.
    pub dropped_attributes: u32,
}

/// Another span that this one has to do with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpanLink {
    /// Its trace.
    pub trace: TraceId,
    /// Its id.
    pub span: SpanId,
    /// Its `tracestate`.
    pub trace_state: String,
    /// How they belong together.
    pub attributes: Attributes,
    /// Attributes that were dropped before the span came here.
    pub dropped_attributes: u32,
    /// W3C flags.
    pub flags: u32,
}

/// What emitted spans: a service on a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Such as `service.name`.
    pub attributes: Attributes,
    /// Attributes that were dropped before it came here.
    pub dropped_attributes: u32,
    /// The schema of the attributes.
    pub schema_url: String,
}

/// The instrumentation that made spans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanScope {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// More about it.
    pub attributes: Attributes,
    /// Attributes that were dropped before it came here.
    pub dropped_attributes: u32,
    /// The schema of the spans' attributes.
    pub schema_url: String,
}

/// One span, with everything that OTLP can say about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The trace that it is part of.
    pub trace: TraceId,
    /// Its id.
    pub id: SpanId,
    /// The span that it happened in.
    pub parent: Option<SpanId>,
    /// W3C `tracestate`.
    pub trace_state: String,
    /// W3C flags, as OTLP has them.
    pub flags: u32,
    /// What happened, in few words of low cardinality.
    pub name: Key,
    /// Which side it is on.
    pub kind: SpanKind,
    /// When it began, in nanoseconds since the Unix epoch.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// More about it.
    pub attributes: Attributes,
    /// What happened meanwhile.
    pub events: Vec<SpanEvent>,
    /// What it has to do with.
    pub links: Vec<SpanLink>,
    /// How it ended.
    pub status: SpanStatus,
    /// How it ended, in words.
    pub status_message: String,
    /// Attributes, events and links that were dropped before it came here.
    pub dropped: Dropped,
    /// Who emitted it.
    pub resource: Arc<Resource>,
    /// What made it.
    pub scope: Arc<SpanScope>,
}

/// How much of a span was dropped before it came here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Attributes.
    pub attributes: u32,
    /// Events.
    pub events: u32,
    /// Links.
    pub links: u32,
}

/// How long spans are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpanClass {
    /// What machines did: goes when it is old.
    Telemetry,
    /// What agents know, handed over and proved: stays.
    Memory,
}

impl Span {
    /// How long it took, in nanoseconds; clocks that ran backwards count as no time.
    pub fn duration(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// The value of one of its own attributes.
    pub fn attribute(&self, key: &str) -> Option<&Value> {
        find_attribute(&self.attributes, key)
    }

    /// The service that emitted it.
    pub fn service(&self) -> Option<&str> {
        find_attribute(&self.resource.attributes, "service.name").and_then(Value::as_text)
    }

    /// How long it is kept: insights, handoffs and verdicts of gates are what agents remember.
    pub fn class(&self) -> SpanClass {
        let named = ["insight.", "handoff.", "gate."].iter().any(|family| self.name.starts_with(family));
        let told = |key: &str| matches!(key, "insight.type" | "insight.id" | "handoff.status" | "gate.result");
        match named || self.attributes.iter().any(|(key, _)| told(key)) {
            true => SpanClass::Memory,
            false => SpanClass::Telemetry,
        }
    }
}

/// The value of the attribute with that name.
pub fn find_attribute<'a>(attributes: &'a [(Key, Value)], key: &str) -> Option<&'a Value> {
    attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

impl Value {
    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}
