//! OTLP's messages of logs.

use super::{AnyValue, InstrumentationScope, KeyValue, Resource};
use prost::Message;

/// What an exporter of logs sends.
#[derive(Clone, PartialEq, Message)]
pub struct ExportLogsServiceRequest {
    /// Lines by what emitted them.
    #[prost(message, repeated, tag = "1")]
    pub resource_logs: Vec<ResourceLogs>,
}

/// Lines of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceLogs {
    /// What emitted them.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Lines by what wrote them.
    #[prost(message, repeated, tag = "2")]
    pub scope_logs: Vec<ScopeLogs>,
    /// The schema of the resource.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// Lines of one part of a program.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeLogs {
    /// What wrote them.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// The lines.
    #[prost(message, repeated, tag = "2")]
    pub log_records: Vec<LogRecord>,
    /// The schema of the lines.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// One line.
#[derive(Clone, PartialEq, Message)]
pub struct LogRecord {
    /// When it was written.
    #[prost(fixed64, tag = "1")]
    pub time_unix_nano: u64,
    /// How bad it is, from 1 to 24.
    #[prost(int32, tag = "2")]
    pub severity_number: i32,
    /// The same in one word.
    #[prost(string, tag = "3")]
    pub severity_text: String,
    /// What it says.
    #[prost(message, optional, tag = "5")]
    pub body: Option<AnyValue>,
    /// More about it.
    #[prost(message, repeated, tag = "6")]
    pub attributes: Vec<KeyValue>,
    /// How many were dropped.
    #[prost(uint32, tag = "7")]
    pub dropped_attributes_count: u32,
    /// W3C flags.
    #[prost(fixed32, tag = "8")]
    pub flags: u32,
    /// 16 bytes, or none.
    #[prost(bytes = "vec", tag = "9")]
    pub trace_id: Vec<u8>,
    /// 8 bytes, or none.
    #[prost(bytes = "vec", tag = "10")]
    pub span_id: Vec<u8>,
    /// When it was seen.
    #[prost(fixed64, tag = "11")]
    pub observed_time_unix_nano: u64,
}
