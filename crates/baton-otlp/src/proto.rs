//! OTLP's messages, with the field numbers that OpenTelemetry publishes.
//!
//! The published crate of these messages would bring the whole SDK, a second random number generator and an executor
//! for what is a few structs.

mod logs;
mod metrics;

pub use logs::{ExportLogsServiceRequest, LogRecord, ResourceLogs, ScopeLogs};
pub use metrics::{
    AggregationTemporality, ExportMetricsServiceRequest, Gauge, Histogram, HistogramDataPoint, Metric, MetricData,
    Number, NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum,
};

use prost::{Enumeration, Message, Oneof};

/// What an exporter sends.
#[derive(Clone, PartialEq, Message)]
pub struct ExportTraceServiceRequest {
    /// Spans by what emitted them.
    #[prost(message, repeated, tag = "1")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// What an exporter is told.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ExportTraceServiceResponse {
    /// Only there when something was rejected.
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<ExportTracePartialSuccess>,
}

/// What was rejected.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ExportTracePartialSuccess {
    /// How many spans.
    #[prost(int64, tag = "1")]
    pub rejected_spans: i64,
    /// Why.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// Spans of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpans {
    /// What emitted them.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Spans by what made them.
    #[prost(message, repeated, tag = "2")]
    pub scope_spans: Vec<ScopeSpans>,
    /// The schema of the resource.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// What emits spans.
#[derive(Clone, PartialEq, Message)]
pub struct Resource {
    /// Such as `service.name`.
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
    /// How many were dropped.
    #[prost(uint32, tag = "2")]
    pub dropped_attributes_count: u32,
}

/// Spans of one instrumentation.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeSpans {
    /// What made them.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// The spans.
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
    /// The schema of the spans.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// What makes spans.
#[derive(Clone, PartialEq, Message)]
pub struct InstrumentationScope {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its version.
    #[prost(string, tag = "2")]
    pub version: String,
    /// More about it.
    #[prost(message, repeated, tag = "3")]
    pub attributes: Vec<KeyValue>,
    /// How many were dropped.
    #[prost(uint32, tag = "4")]
    pub dropped_attributes_count: u32,
}

/// One span.
#[derive(Clone, PartialEq, Message)]
pub struct Span {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// W3C `tracestate`.
    #[prost(string, tag = "3")]
    pub trace_state: String,
    /// 8 bytes, or none.
    #[prost(bytes = "vec", tag = "4")]
    pub parent_span_id: Vec<u8>,
    /// Its name.
    #[prost(string, tag = "5")]
    pub name: String,
    /// Which side it is on.
    #[prost(enumeration = "SpanKind", tag = "6")]
    pub kind: i32,
    /// When it began.
    #[prost(fixed64, tag = "7")]
    pub start_time_unix_nano: u64,
    /// When it ended.
    #[prost(fixed64, tag = "8")]
    pub end_time_unix_nano: u64,
    /// More about it.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    /// How many were dropped.
    #[prost(uint32, tag = "10")]
    pub dropped_attributes_count: u32,
    /// What happened meanwhile.
    #[prost(message, repeated, tag = "11")]
    pub events: Vec<Event>,
    /// How many were dropped.
    #[prost(uint32, tag = "12")]
    pub dropped_events_count: u32,
    /// What it has to do with.
    #[prost(message, repeated, tag = "13")]
    pub links: Vec<Link>,
    /// How many were dropped.
    #[prost(uint32, tag = "14")]
    pub dropped_links_count: u32,
    /// How it ended.
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
    /// W3C flags and whether the parent is elsewhere.
    #[prost(fixed32, tag = "16")]
    pub flags: u32,
}

/// `Span.SpanKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum SpanKind {
    /// Nobody said.
    Unspecified = 0,
    /// Within a process.
    Internal = 1,
    /// A request is answered.
    Server = 2,
    /// Somebody is asked.
    Client = 3,
    /// Work is left for later.
    Producer = 4,
    /// Such work is taken.
    Consumer = 5,
}

/// `Span.Event`.
#[derive(Clone, PartialEq, Message)]
pub struct Event {
    /// When.
    #[prost(fixed64, tag = "1")]
    pub time_unix_nano: u64,
    /// What.
    #[prost(string, tag = "2")]
    pub name: String,
    /// More about it.
    #[prost(message, repeated, tag = "3")]
    pub attributes: Vec<KeyValue>,
    /// How many were dropped.
    #[prost(uint32, tag = "4")]
    pub dropped_attributes_count: u32,
}

/// `Span.Link`.
#[derive(Clone, PartialEq, Message)]
pub struct Link {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// W3C `tracestate`.
    #[prost(string, tag = "3")]
    pub trace_state: String,
    /// More about it.
    #[prost(message, repeated, tag = "4")]
    pub attributes: Vec<KeyValue>,
    /// How many were dropped.
    #[prost(uint32, tag = "5")]
    pub dropped_attributes_count: u32,
    /// W3C flags.
    #[prost(fixed32, tag = "6")]
    pub flags: u32,
}

/// How a span ended.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Status {
    /// In words.
    #[prost(string, tag = "2")]
    pub message: String,
    /// In one word.
    #[prost(enumeration = "StatusCode", tag = "3")]
    pub code: i32,
}

/// `Status.StatusCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum StatusCode {
    /// Nobody said.
    Unset = 0,
    /// Well.
    Ok = 1,
    /// Badly.
    Error = 2,
}

/// One attribute.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    /// Its name.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Its value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
}

/// A value, or none.
#[derive(Clone, PartialEq, Message)]
pub struct AnyValue {
    /// Which.
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub value: Option<Value>,
}

/// What a value is.
#[derive(Clone, PartialEq, Oneof)]
pub enum Value {
    /// Text.
    #[prost(string, tag = "1")]
    StringValue(String),
    /// True or false.
    #[prost(bool, tag = "2")]
    BoolValue(bool),
    /// A whole number.
    #[prost(int64, tag = "3")]
    IntValue(i64),
    /// A number.
    #[prost(double, tag = "4")]
    DoubleValue(f64),
    /// Several values.
    #[prost(message, tag = "5")]
    ArrayValue(ArrayValue),
    /// Values by name.
    #[prost(message, tag = "6")]
    KvlistValue(KeyValueList),
    /// Bytes.
    #[prost(bytes = "vec", tag = "7")]
    BytesValue(Vec<u8>),
}

/// Several values.
#[derive(Clone, PartialEq, Message)]
pub struct ArrayValue {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<AnyValue>,
}

/// Values by name.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValueList {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<KeyValue>,
}

impl SpanKind {
    /// Each kind with its name in JSON.
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Unspecified, "SPAN_KIND_UNSPECIFIED"),
        (Self::Internal, "SPAN_KIND_INTERNAL"),
        (Self::Server, "SPAN_KIND_SERVER"),
        (Self::Client, "SPAN_KIND_CLIENT"),
        (Self::Producer, "SPAN_KIND_PRODUCER"),
        (Self::Consumer, "SPAN_KIND_CONSUMER"),
    ];

    /// The name of a number.
    pub(crate) fn name_of(number: i32) -> Option<&'static str> {
        Self::NAMES.iter().find(|(kind, _)| *kind as i32 == number).map(|(_, name)| *name)
    }

    /// The number of a name.
    pub(crate) fn number_of(name: &str) -> Option<i32> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind as i32)
    }
}

impl StatusCode {
    /// Each code with its name in JSON.
    const NAMES: [(Self, &'static str); 3] =
        [(Self::Unset, "STATUS_CODE_UNSET"), (Self::Ok, "STATUS_CODE_OK"), (Self::Error, "STATUS_CODE_ERROR")];

    /// The name of a number.
    pub(crate) fn name_of(number: i32) -> Option<&'static str> {
        Self::NAMES.iter().find(|(code, _)| *code as i32 == number).map(|(_, name)| *name)
    }

    /// The number of a name.
    pub(crate) fn number_of(name: &str) -> Option<i32> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(code, _)| *code as i32)
    }
}
