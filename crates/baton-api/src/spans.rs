//! Spans in Baton's own API.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One span as a flat object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpanEntry {
    /// Trace id in hex.
    pub trace_id: String,
    /// Span id in hex.
    pub span_id: String,
    /// Id of the parent span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Name of the operation.
    pub name: String,
    /// `internal`, `server`, `client`, `producer`, `consumer` or `unspecified`.
    pub kind: String,
    /// `unset`, `ok` or `error`.
    pub status: String,
    /// Error description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status_message: String,
    /// Start time in RFC 3339 with full precision.
    pub start: String,
    /// Duration.
    pub duration_ms: f64,
    /// The service that emitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Attributes of the span.
    #[serde(default)]
    pub attributes: Map<String, Value>,
}

/// Gap in a tail whose client read too slowly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissedSpans {
    /// Number of lost batches.
    pub batches: u64,
}

/// Statistics and retention of the span store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpanStatsEntry {
    /// Number of stored spans.
    pub spans: u64,
    /// Of these, spans in memory that are not yet in a block.
    pub head_spans: u64,
    /// Number of blocks on disk.
    pub blocks: u64,
    /// Bytes on disk, including the log.
    pub bytes: u64,
    /// Earliest start time, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    /// Latest end time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Maximum age; older telemetry is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_seconds: Option<u64>,
    /// Maximum size in bytes; the oldest telemetry is deleted first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Telemetry that started before this time may have been deleted for lack of space; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_since: Option<String>,
    /// Spans emitted by this server since its start that could not be stored.
    pub dropped: u64,
}
