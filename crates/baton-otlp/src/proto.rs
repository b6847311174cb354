//! OTLP messages with the field numbers published by OpenTelemetry.
//!
//! Defined here because the published crate depends on the whole SDK, a second random number generator and an executor.

mod logs;
mod metrics;

pub use logs::{ExportLogsServiceRequest, LogRecord, ResourceLogs, ScopeLogs};
pub use metrics::{
    AggregationTemporality, ExportMetricsServiceRequest, Gauge, Histogram, HistogramDataPoint, Metric, MetricData,
    Number, NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum,
};

use prost::{Enumeration, Message, Oneof};

/// Trace export request.
#[derive(Clone, PartialEq, Message)]
pub struct ExportTraceServiceRequest {
    /// Spans by resource.
    #[prost(message, repeated, tag = "1")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// Trace export response.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ExportTraceServiceResponse {
    /// Present only if spans were rejected.
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<ExportTracePartialSuccess>,
}

/// Rejected spans of a request.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ExportTracePartialSuccess {
    /// Number of rejected spans.
    #[prost(int64, tag = "1")]
    pub rejected_spans: i64,
    /// Reason of the rejection.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// Spans of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpans {
    /// Resource that emitted the spans.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Spans by instrumentation scope.
    #[prost(message, repeated, tag = "2")]
    pub scope_spans: Vec<ScopeSpans>,
    /// Schema URL of the resource.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// Entity that emits telemetry.
#[derive(Clone, PartialEq, Message)]
pub struct Resource {
    /// Attributes such as `service.name`.
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
    /// Number of dropped attributes.
    #[prost(uint32, tag = "2")]
    pub dropped_attributes_count: u32,
}

/// Spans of one instrumentation scope.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeSpans {
    /// Scope that created the spans.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// Spans of the scope.
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
    /// Schema URL of the spans.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// Library or module that creates telemetry.
#[derive(Clone, PartialEq, Message)]
pub struct InstrumentationScope {
    /// Name of the scope.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Version of the scope.
    #[prost(string, tag = "2")]
    pub version: String,
    /// Attributes of the scope.
    #[prost(message, repeated, tag = "3")]
    pub attributes: Vec<KeyValue>,
    /// Number of dropped attributes.
    #[prost(uint32, tag = "4")]
    pub dropped_attributes_count: u32,
}

/// A span.
#[derive(Clone, PartialEq, Message)]
pub struct Span {
    /// Trace id, 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// Span id, 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// W3C `tracestate`.
    #[prost(string, tag = "3")]
    pub trace_state: String,
    /// Parent span id, 8 bytes or empty.
    #[prost(bytes = "vec", tag = "4")]
    pub parent_span_id: Vec<u8>,
    /// Name of the operation.
    #[prost(string, tag = "5")]
    pub name: String,
    /// Span kind.
    #[prost(enumeration = "SpanKind", tag = "6")]
    pub kind: i32,
    /// Start time.
    #[prost(fixed64, tag = "7")]
    pub start_time_unix_nano: u64,
    /// End time.
    #[prost(fixed64, tag = "8")]
    pub end_time_unix_nano: u64,
    /// Attributes of the span.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    /// Number of dropped attributes.
    #[prost(uint32, tag = "10")]
    pub dropped_attributes_count: u32,
    /// Events during the span.
    #[prost(message, repeated, tag = "11")]
    pub events: Vec<Event>,
    /// Number of dropped events.
    #[prost(uint32, tag = "12")]
    pub dropped_events_count: u32,
    /// Links to other spans.
    #[prost(message, repeated, tag = "13")]
    pub links: Vec<Link>,
    /// Number of dropped links.
    #[prost(uint32, tag = "14")]
    pub dropped_links_count: u32,
    /// Status of the operation.
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
    /// W3C trace flags and whether the parent is remote.
    #[prost(fixed32, tag = "16")]
    pub flags: u32,
}

/// `JsonSpan.SpanKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum SpanKind {
    /// Not specified.
    Unspecified = 0,
    /// Internal operation.
    Internal = 1,
    /// Server side of a request.
    Server = 2,
    /// Client side of a request.
    Client = 3,
    /// Producer of an asynchronous message.
    Producer = 4,
    /// Consumer of an asynchronous message.
    Consumer = 5,
}

/// `JsonSpan.JsonSpanEvent`.
#[derive(Clone, PartialEq, Message)]
pub struct Event {
    /// Time of the event.
    #[prost(fixed64, tag = "1")]
    pub time_unix_nano: u64,
    /// Name of the event.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Attributes of the event.
    #[prost(message, repeated, tag = "3")]
    pub attributes: Vec<KeyValue>,
    /// Number of dropped attributes.
    #[prost(uint32, tag = "4")]
    pub dropped_attributes_count: u32,
}

/// `JsonSpan.JsonSpanLink`.
#[derive(Clone, PartialEq, Message)]
pub struct Link {
    /// Trace id, 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// Span id, 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// W3C `tracestate`.
    #[prost(string, tag = "3")]
    pub trace_state: String,
    /// Attributes of the link.
    #[prost(message, repeated, tag = "4")]
    pub attributes: Vec<KeyValue>,
    /// Number of dropped attributes.
    #[prost(uint32, tag = "5")]
    pub dropped_attributes_count: u32,
    /// W3C trace flags.
    #[prost(fixed32, tag = "6")]
    pub flags: u32,
}

/// Status of a span.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Status {
    /// Description of an error.
    #[prost(string, tag = "2")]
    pub message: String,
    /// Status code.
    #[prost(enumeration = "StatusCode", tag = "3")]
    pub code: i32,
}

/// `JsonSpanStatus.StatusCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum StatusCode {
    /// Not set.
    Unset = 0,
    /// Completed successfully.
    Ok = 1,
    /// Failed.
    Error = 2,
}

/// An attribute.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    /// Attribute key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Attribute value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
}

/// A value or an empty value.
#[derive(Clone, PartialEq, Message)]
pub struct AnyValue {
    /// The value; empty if absent.
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub value: Option<Value>,
}

/// Variants of [`AnyValue`].
#[derive(Clone, PartialEq, Oneof)]
pub enum Value {
    /// Text.
    #[prost(string, tag = "1")]
    StringValue(String),
    /// Boolean.
    #[prost(bool, tag = "2")]
    BoolValue(bool),
    /// Integer.
    #[prost(int64, tag = "3")]
    IntValue(i64),
    /// Floating-point number.
    #[prost(double, tag = "4")]
    DoubleValue(f64),
    /// List.
    #[prost(message, tag = "5")]
    ArrayValue(ArrayValue),
    /// Key-value map.
    #[prost(message, tag = "6")]
    KvlistValue(KeyValueList),
    /// Bytes.
    #[prost(bytes = "vec", tag = "7")]
    BytesValue(Vec<u8>),
}

/// List of values.
#[derive(Clone, PartialEq, Message)]
pub struct ArrayValue {
    /// Elements of the list.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<AnyValue>,
}

/// Key-value map.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValueList {
    /// Entries of the map.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<KeyValue>,
}

impl SpanKind {
    /// JSON name of each kind.
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Unspecified, "SPAN_KIND_UNSPECIFIED"),
        (Self::Internal, "SPAN_KIND_INTERNAL"),
        (Self::Server, "SPAN_KIND_SERVER"),
        (Self::Client, "SPAN_KIND_CLIENT"),
        (Self::Producer, "SPAN_KIND_PRODUCER"),
        (Self::Consumer, "SPAN_KIND_CONSUMER"),
    ];

    /// JSON name for a number.
    pub(crate) fn name_of(number: i32) -> Option<&'static str> {
        Self::NAMES.iter().find(|(kind, _)| *kind as i32 == number).map(|(_, name)| *name)
    }

    /// Number for a JSON name.
    pub(crate) fn number_of(name: &str) -> Option<i32> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind as i32)
    }
}

impl StatusCode {
    /// JSON name of each code.
    const NAMES: [(Self, &'static str); 3] =
        [(Self::Unset, "STATUS_CODE_UNSET"), (Self::Ok, "STATUS_CODE_OK"), (Self::Error, "STATUS_CODE_ERROR")];

    /// JSON name for a number.
    pub(crate) fn name_of(number: i32) -> Option<&'static str> {
        Self::NAMES.iter().find(|(code, _)| *code as i32 == number).map(|(_, name)| *name)
    }

    /// Number for a JSON name.
    pub(crate) fn number_of(name: &str) -> Option<i32> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(code, _)| *code as i32)
    }
}
