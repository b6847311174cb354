//! Spans as Baton's own API shows them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One span as a flat object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanEntry {
    /// The trace, in hex.
    pub trace_id: String,
    /// The span, in hex.
    pub span_id: String,
    /// The span that it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// What happened.
    pub name: String,
    /// `internal`, `server`, `client`, `producer`, `consumer` or `unspecified`.
    pub kind: String,
    /// `unset`, `ok` or `error`.
    pub status: String,
    /// Why it ended badly, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status_message: String,
    /// When it began, in RFC 3339 with every digit that is known.
    pub start: String,
    /// How long it took.
    pub duration_ms: f64,
    /// The service that emitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Its own attributes.
    #[serde(default)]
    pub attributes: Map<String, Value>,
}

/// Spans that a tail missed because its reader was too slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedSpans {
    /// How many batches of them.
    pub batches: u64,
}

/// How many spans are kept, and what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanStatsEntry {
    /// Spans that are kept.
    pub spans: u64,
    /// Of them, those in memory that no block has yet.
    pub head_spans: u64,
    /// Blocks on disk.
    pub blocks: u64,
    /// Bytes on disk, with the log.
    pub bytes: u64,
    /// When the oldest began, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    /// When the one that ended last ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Telemetry older than this goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_seconds: Option<u64>,
    /// Telemetry beyond this many bytes goes, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Telemetry that began before this may have gone for want of room; absent as long as there was room for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_since: Option<String>,
    /// Spans that were emitted here and could not be kept, since the start.
    pub dropped: u64,
}
