//! Converts log lines to OTLP messages.

use crate::{
    Encoding,
    json::{JsonList, OtlpJsonDialect},
    proto::{
        AnyValue, ExportLogsServiceRequest, InstrumentationScope, LogRecord, ResourceLogs, ScopeLogs,
        Value as OtlpValue,
    },
    span_messages::{attributes, resource},
};
use baton_types::{Attributes, SpanResource, TraceContext};
use prost::Message as _;
use serde::Serialize;
use std::{borrow::Borrow, collections::HashMap};

/// A log line.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// Timestamp in nanoseconds since the Unix epoch.
    pub at: u64,
    /// Severity.
    pub level: LogLevel,
    /// Instrumentation scope: the module that wrote the line.
    pub scope: String,
    /// Message text.
    pub message: String,
    /// Attributes of the line.
    pub attributes: Attributes,
    /// Number of dropped attributes.
    pub dropped_attributes: u32,
    /// Span that was active when the line was written.
    pub context: Option<TraceContext>,
}

/// Severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogLevel {
    /// Fine-grained steps.
    Trace,
    /// Information for debugging.
    Debug,
    /// Normal operation.
    Info,
    /// A condition that needs attention.
    Warn,
    /// A failure.
    Error,
}

impl LogLevel {
    /// OTLP severity number and text.
    fn severity(self) -> (i32, &'static str) {
        match self {
            Self::Trace => (1, "TRACE"),
            Self::Debug => (5, "DEBUG"),
            Self::Info => (9, "INFO"),
            Self::Warn => (13, "WARN"),
            Self::Error => (17, "ERROR"),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogsExportBody<'a> {
    resource_logs: JsonList<'a, ResourceLogs>,
}

/// Encodes an export request with these log lines.
pub fn write_lines(lines: &[impl Borrow<LogLine>], resource: &SpanResource, encoding: Encoding) -> Vec<u8> {
    let request = logs_request(lines, resource);
    match encoding {
        Encoding::Protobuf => request.encode_to_vec(),
        Encoding::Json => {
            let resource_logs = JsonList(request.resource_logs.as_slice(), OtlpJsonDialect::Otlp);
            // Serialization of text, numbers and lists cannot fail.
            serde_json::to_vec(&LogsExportBody { resource_logs }).unwrap_or_default()
        }
    }
}

/// Export request with these log lines, grouped by scope in order of first occurrence.
pub fn logs_request(lines: &[impl Borrow<LogLine>], resource: &SpanResource) -> ExportLogsServiceRequest {
    let mut groups: Vec<ScopeLogs> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for line in lines {
        let line = line.borrow();
        let position = *positions.entry(line.scope.as_str()).or_insert(groups.len());
        if position == groups.len() {
            let scope = InstrumentationScope { name: line.scope.clone(), ..InstrumentationScope::default() };
            groups.push(ScopeLogs { scope: Some(scope), ..ScopeLogs::default() });
        }
        if let Some(group) = groups.get_mut(position) {
            group.log_records.push(record(line));
        }
    }
    let resource_logs = ResourceLogs {
        resource: Some(self::resource(resource)),
        scope_logs: groups,
        schema_url: resource.schema_url.clone(),
    };
    ExportLogsServiceRequest { resource_logs: vec![resource_logs] }
}

fn record(line: &LogLine) -> LogRecord {
    let (severity_number, severity_text) = line.level.severity();
    LogRecord {
        time_unix_nano: line.at,
        observed_time_unix_nano: line.at,
        severity_number,
        severity_text: severity_text.to_owned(),
        body: Some(AnyValue { value: Some(OtlpValue::StringValue(line.message.clone())) }),
        attributes: attributes(&line.attributes),
        dropped_attributes_count: line.dropped_attributes,
        flags: line.context.map_or(0, |context| u32::from(context.flags)),
        trace_id: line.context.map(|context| context.trace.0.to_vec()).unwrap_or_default(),
        span_id: line.context.map(|context| context.span.0.to_vec()).unwrap_or_default(),
    }
}
