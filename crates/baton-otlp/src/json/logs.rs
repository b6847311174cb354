//! JSON of log messages.

use super::{Members, OtlpJsonDialect, WriteJson};
use crate::proto::{LogRecord, ResourceLogs, ScopeLogs};
use serde::{Serializer, ser::SerializeMap};

objects! {
    ResourceLogs, |it, to| {
        to.message("resource", it.resource.as_ref())?;
        to.list("scopeLogs", &it.scope_logs)?;
        to.text("schemaUrl", &it.schema_url)?;
    }
    ScopeLogs, |it, to| {
        to.message("scope", it.scope.as_ref())?;
        to.list("logRecords", &it.log_records)?;
        to.text("schemaUrl", &it.schema_url)?;
    }
    LogRecord, |it, to| {
        to.time("timeUnixNano", it.time_unix_nano)?;
        to.time("observedTimeUnixNano", it.observed_time_unix_nano)?;
        to.enumeration("severityNumber", it.severity_number, None)?;
        to.text("severityText", &it.severity_text)?;
        to.message("body", it.body.as_ref())?;
        to.list("attributes", &it.attributes)?;
        to.number("droppedAttributesCount", it.dropped_attributes_count)?;
        to.number("flags", it.flags)?;
        to.id("traceId", &it.trace_id)?;
        to.id("spanId", &it.span_id)?;
    }
}
