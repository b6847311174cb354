//! OpenTelemetry spans. They are telemetry; the journal remains the source of truth.

use crate::{SpanId, TraceId};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};

/// Attribute name; the names that Baton sets are constants.
pub type AttributeKey = Cow<'static, str>;

/// Attributes in insertion order; keys are unique.
pub type Attributes = Vec<(AttributeKey, SpanValue)>;

/// Attribute value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SpanValue {
    /// Text.
    Text(Cow<'static, str>),
    /// True or false.
    Bool(bool),
    /// Integer.
    Int(i64),
    /// Floating-point number.
    Float(f64),
    /// Array of values.
    List(Vec<SpanValue>),
    /// Values by key.
    Map(Attributes),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Empty value.
    Empty,
}

/// OpenTelemetry span kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpanKind {
    /// Not specified.
    Unspecified,
    /// Operation within a process.
    #[default]
    Internal,
    /// Handling of a remote request.
    Server,
    /// Request to a remote service.
    Client,
    /// Creation of work that is processed later.
    Producer,
    /// Processing of such work.
    Consumer,
}

/// OpenTelemetry span status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpanStatus {
    /// Not set.
    #[default]
    Unset,
    /// Explicitly marked as successful.
    Ok,
    /// Failed.
    Error,
}

/// A point-in-time event of a span.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanEvent {
    /// Time in nanoseconds since the Unix epoch.
    pub at: u64,
    /// Event name.
    pub name: AttributeKey,
    /// Attributes.
    pub attributes: Attributes,
    /// Attributes dropped before the span was received.
    pub dropped_attributes: u32,
}

/// Link to another span.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpanLink {
    /// Trace id of the linked span.
    pub trace: TraceId,
    /// Id of the linked span.
    pub span: SpanId,
    /// `tracestate` of the linked span.
    pub trace_state: String,
    /// Attributes of the link.
    pub attributes: Attributes,
    /// Attributes dropped before the span was received.
    pub dropped_attributes: u32,
    /// W3C flags.
    pub flags: u32,
}

/// Source of spans: a service on a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanResource {
    /// Attributes, such as `service.name`.
    pub attributes: Attributes,
    /// Attributes dropped before the resource was received.
    pub dropped_attributes: u32,
    /// Schema URL of the attributes.
    pub schema_url: String,
}

/// Instrumentation scope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanScope {
    /// Scope name.
    pub name: String,
    /// Scope version.
    pub version: String,
    /// Attributes.
    pub attributes: Attributes,
    /// Attributes dropped before the scope was received.
    pub dropped_attributes: u32,
    /// Schema URL of the span attributes.
    pub schema_url: String,
}

/// One span with all OTLP fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Trace id.
    pub trace: TraceId,
    /// Span id.
    pub id: SpanId,
    /// Parent span id.
    pub parent: Option<SpanId>,
    /// W3C `tracestate`.
    pub trace_state: String,
    /// W3C flags, in OTLP encoding.
    pub flags: u32,
    /// Span name, of low cardinality.
    pub name: AttributeKey,
    /// Span kind.
    pub kind: SpanKind,
    /// Start time in nanoseconds since the Unix epoch.
    pub start: u64,
    /// End time.
    pub end: u64,
    /// Attributes.
    pub attributes: Attributes,
    /// Events.
    pub events: Vec<SpanEvent>,
    /// Links.
    pub links: Vec<SpanLink>,
    /// Status.
    pub status: SpanStatus,
    /// Status description.
    pub status_message: String,
    /// Attributes, events and links dropped before the span was received.
    pub dropped: SpanDropCounts,
    /// Resource that emitted it.
    pub resource: Arc<SpanResource>,
    /// Instrumentation scope that created it.
    pub scope: Arc<SpanScope>,
}

/// Numbers of items dropped from a span before it was received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanDropCounts {
    /// Dropped attributes.
    pub attributes: u32,
    /// Dropped events.
    pub events: u32,
    /// Dropped links.
    pub links: u32,
}

/// Retention class of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpanClass {
    /// Operational telemetry; deleted when its retention ends.
    Telemetry,
    /// Insights, handoffs and gate results; kept.
    Memory,
}

impl Span {
    /// Duration in nanoseconds; zero if the clock ran backwards.
    pub fn duration(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Value of a span attribute.
    pub fn attribute(&self, key: &str) -> Option<&SpanValue> {
        find_attribute(&self.attributes, key)
    }

    /// Name of the emitting service.
    pub fn service(&self) -> Option<&str> {
        find_attribute(&self.resource.attributes, "service.name").and_then(SpanValue::as_text)
    }

    /// Retention class: insights, handoffs and gate results are kept as memory.
    pub fn class(&self) -> SpanClass {
        let named = ["insight.", "handoff.", "gate."].iter().any(|family| self.name.starts_with(family));
        let is_memory_key = |key: &str| matches!(key, "insight.type" | "insight.id" | "handoff.status" | "gate.result");
        match named || self.attributes.iter().any(|(key, _)| is_memory_key(key)) {
            true => SpanClass::Memory,
            false => SpanClass::Telemetry,
        }
    }
}

/// Finds an attribute by name.
pub fn find_attribute<'a>(attributes: &'a [(AttributeKey, SpanValue)], key: &str) -> Option<&'a SpanValue> {
    attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

impl SpanValue {
    /// Text value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Integer value.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<&'static str> for SpanValue {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<bool> for SpanValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for SpanValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for SpanValue {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<u64> for SpanValue {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for SpanValue {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}
