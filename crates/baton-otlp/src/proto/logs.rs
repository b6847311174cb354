//! OTLP log messages.

use super::{AnyValue, InstrumentationScope, KeyValue, Resource};
use prost::Message;

/// Logs export request.
#[derive(Clone, PartialEq, Message)]
pub struct ExportLogsServiceRequest {
    /// Log records by resource.
    #[prost(message, repeated, tag = "1")]
    pub resource_logs: Vec<ResourceLogs>,
}

/// Log records of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceLogs {
    /// Resource that emitted the records.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Log records by instrumentation scope.
    #[prost(message, repeated, tag = "2")]
    pub scope_logs: Vec<ScopeLogs>,
    /// Schema URL of the resource.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// Log records of one instrumentation scope.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeLogs {
    /// Scope that wrote the records.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// Records of the scope.
    #[prost(message, repeated, tag = "2")]
    pub log_records: Vec<LogRecord>,
    /// Schema URL of the records.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// A log record.
#[derive(Clone, PartialEq, Message)]
pub struct LogRecord {
    /// Time of the event.
    #[prost(fixed64, tag = "1")]
    pub time_unix_nano: u64,
    /// Severity from 1 to 24.
    #[prost(int32, tag = "2")]
    pub severity_number: i32,
    /// Severity as text.
    #[prost(string, tag = "3")]
    pub severity_text: String,
    /// Message.
    #[prost(message, optional, tag = "5")]
    pub body: Option<AnyValue>,
    /// Attributes of the record.
    #[prost(message, repeated, tag = "6")]
    pub attributes: Vec<KeyValue>,
    /// Number of dropped attributes.
    #[prost(uint32, tag = "7")]
    pub dropped_attributes_count: u32,
    /// W3C trace flags.
    #[prost(fixed32, tag = "8")]
    pub flags: u32,
    /// Trace id, 16 bytes or empty.
    #[prost(bytes = "vec", tag = "9")]
    pub trace_id: Vec<u8>,
    /// Span id, 8 bytes or empty.
    #[prost(bytes = "vec", tag = "10")]
    pub span_id: Vec<u8>,
    /// Time of observation.
    #[prost(fixed64, tag = "11")]
    pub observed_time_unix_nano: u64,
}
