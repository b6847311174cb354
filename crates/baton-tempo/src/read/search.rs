//! Decodes search results.

use super::{
    list,
    number::JsonU64,
    parse_json,
    value::{TempoAttribute, attributes, labels},
};
use crate::failure::TempoError;
use baton_span_ports::{ServiceStats, SpanMatch, SpansetMatch, TraceMatch, TraceSearchResult};
use baton_types::{AttributeKey, SpanStatus, SpanValue, find_attribute};
use serde::Deserialize;
use std::collections::BTreeMap;

const MILLISECOND: u64 = 1_000_000;

/// Placeholder of a Tempo for the root of a trace whose root span has not arrived.
const NO_ROOT: &str = "<root span not yet received>";

#[derive(Deserialize)]
struct TraceSearchReply {
    traces: Option<Vec<TraceEntry>>,
    metrics: Option<QueryStatistics>,
}

/// Query statistics, shared by search and metrics responses.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QueryStatistics {
    pub(super) inspected_traces: JsonU64,
    pub(super) inspected_bytes: JsonU64,
    pub(super) inspected_spans: JsonU64,
    completed_jobs: JsonU64,
    total_jobs: JsonU64,
}

impl QueryStatistics {
    /// Whether some jobs of the query did not complete.
    pub(super) fn is_partial(&self) -> bool {
        self.completed_jobs.0 < self.total_jobs.0
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TraceEntry {
    #[serde(rename = "traceID")]
    trace_id: String,
    #[serde(default)]
    root_service_name: String,
    #[serde(default)]
    root_trace_name: String,
    #[serde(default)]
    start_time_unix_nano: JsonU64,
    #[serde(default)]
    duration_ms: JsonU64,
    #[serde(default)]
    span_set: Option<SpanSet>,
    #[serde(default)]
    span_sets: Option<Vec<SpanSet>>,
    #[serde(default)]
    service_stats: Option<BTreeMap<String, Stats>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    #[serde(default)]
    span_count: JsonU64,
    #[serde(default)]
    error_count: JsonU64,
}

#[derive(Deserialize)]
struct SpanSet {
    #[serde(default)]
    spans: Option<Vec<SpanMatchEntry>>,
    #[serde(default)]
    matched: JsonU64,
    #[serde(default)]
    attributes: Option<Vec<TempoAttribute>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpanMatchEntry {
    #[serde(rename = "spanID")]
    span_id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    start_time_unix_nano: JsonU64,
    #[serde(default)]
    duration_nanos: JsonU64,
    #[serde(default)]
    attributes: Option<Vec<TempoAttribute>>,
}

/// Decodes a search response. An empty list may be absent; a body with neither member is invalid.
pub(crate) fn search(body: &[u8]) -> Result<TraceSearchResult, TempoError> {
    let reply: TraceSearchReply = parse_json(body)?;
    if reply.traces.is_none() && reply.metrics.is_none() {
        return Err(TempoError::Malformed("it has no traces".to_owned()));
    }
    let metrics = reply.metrics.unwrap_or_default();
    Ok(TraceSearchResult {
        traces: list(reply.traces).into_iter().map(trace).collect::<Result<_, _>>()?,
        inspected_traces: metrics.inspected_traces.0,
        inspected_bytes: metrics.inspected_bytes.0,
        partial: metrics.is_partial(),
    })
}

fn trace(read: TraceEntry) -> Result<TraceMatch, TempoError> {
    let known = |name: String| if name == NO_ROOT { String::new() } else { name };
    let sets = match list(read.span_sets) {
        none if none.is_empty() => read.span_set.into_iter().collect(),
        sets => sets,
    };
    let stats = |(service, stats): (String, Stats)| {
        let stats = ServiceStats { spans: narrow(stats.span_count), errors: narrow(stats.error_count) };
        (service, stats)
    };
    Ok(TraceMatch {
        id: read.trace_id.parse().map_err(|_| TempoError::Malformed("a trace id is invalid".to_owned()))?,
        root_service: known(read.root_service_name),
        root_name: known(read.root_trace_name),
        start: read.start_time_unix_nano.0,
        duration: read.duration_ms.0.saturating_mul(MILLISECOND),
        spansets: sets.into_iter().map(spanset).collect::<Result<_, _>>()?,
        services: read.service_stats.unwrap_or_default().into_iter().map(stats).collect(),
    })
}

fn spanset(read: SpanSet) -> Result<SpansetMatch, TempoError> {
    let spans: Vec<SpanMatch> = list(read.spans).into_iter().map(span).collect::<Result<_, _>>()?;
    let shown = u32::try_from(spans.len()).unwrap_or(u32::MAX);
    Ok(SpansetMatch { spans, matched: narrow(read.matched).max(shown), attributes: labels(read.attributes) })
}

fn span(read: SpanMatchEntry) -> Result<SpanMatch, TempoError> {
    let attributes = attributes(read.attributes);
    let status = match find_attribute(&attributes, "status").and_then(SpanValue::as_text) {
        Some("error") => SpanStatus::Error,
        Some("ok") => SpanStatus::Ok,
        _ => SpanStatus::Unset,
    };
    Ok(SpanMatch {
        id: read.span_id.parse().map_err(|_| TempoError::Malformed("a span id is invalid".to_owned()))?,
        name: AttributeKey::Owned(read.name),
        start: read.start_time_unix_nano.0,
        duration: read.duration_nanos.0,
        status,
        attributes,
    })
}

fn narrow(number: JsonU64) -> u32 {
    u32::try_from(number.0).unwrap_or(u32::MAX)
}
