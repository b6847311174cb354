//! TraceQL searches.

use crate::{Client, ClientError, call::invalid_response};
use baton_encoding::path_segment;
use baton_types::SpanValue;
use http::HeaderMap;
use serde::Deserialize;
use std::{collections::BTreeMap, fmt::Write as _};

use super::otlp::{self, LenientInteger};

/// Response headers of Baton with data that Tempo's JSON has no field for.
pub(crate) const CANONICAL: &str = "x-baton-canonical-query";
pub(crate) const WARNINGS: &str = "x-baton-warnings";

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// The query, in TraceQL.
    pub query: String,
    /// Start of the time range, in seconds since the Unix epoch; traces that overlap the range match.
    pub start: Option<u64>,
    /// End of the time range.
    pub end: Option<u64>,
    /// Maximum traces.
    pub limit: usize,
    /// Maximum spans per spanset.
    pub spans_per_spanset: usize,
    /// Whether to parse the query exactly as Tempo does.
    pub strict: bool,
}

/// Result of a search, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchReply {
    /// The original response, in Tempo's JSON.
    pub body: String,
    /// The canonical form of the query, if the server returns it.
    pub canonical: Option<String>,
    /// Rewritten, ignored or incomplete parts, in one line.
    pub warnings: Option<String>,
    /// The traces.
    pub traces: Vec<TraceHit>,
}

/// A matching trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceHit {
    /// Trace id, in hex.
    pub id: String,
    /// Service of the root span.
    pub root_service: String,
    /// Name of the root span.
    pub root_name: String,
    /// Start time, in nanoseconds since the Unix epoch.
    pub start: u64,
    /// Duration, in milliseconds.
    pub duration_ms: u64,
    /// Matching spans.
    pub spansets: Vec<SpansetHit>,
    /// Span count and error count by service.
    pub services: BTreeMap<String, (u64, u64)>,
}

/// A set of matching spans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpansetHit {
    /// The first spans of the set.
    pub spans: Vec<SpanHit>,
    /// Total number of spans in the set.
    pub matched: u64,
    /// Results of `by` and of aggregates.
    pub attributes: Vec<(String, SpanValue)>,
}

/// A matching span.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanHit {
    /// Span id, in hex.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Start time, in nanoseconds since the Unix epoch.
    pub start: u64,
    /// Duration, in nanoseconds.
    pub duration: u64,
    /// Attributes that the query uses or selects.
    pub attributes: Vec<(String, SpanValue)>,
}

impl Client {
    /// Searches traces by TraceQL.
    pub async fn search_traces(&self, request: &SearchRequest) -> Result<SearchReply, ClientError> {
        let SearchRequest { query, start, end, limit, spans_per_spanset, strict } = request;
        let mut path = format!("/tempo/api/search?q={}&limit={limit}&spss={spans_per_spanset}", path_segment(query));
        for (name, moment) in [("start", start), ("end", end)] {
            if let Some(moment) = moment {
                let _ = write!(path, "&{name}={moment}");
            }
        }
        if *strict {
            path.push_str("&strict=1");
        }
        let (headers, bytes) = self.tempo(&path).await?;
        let found: SearchJson = serde_json::from_slice(&bytes).map_err(invalid_response)?;
        Ok(SearchReply {
            body: String::from_utf8(bytes.to_vec()).map_err(invalid_response)?,
            canonical: decoded_header(&headers, CANONICAL),
            warnings: decoded_header(&headers, WARNINGS),
            traces: found.traces.into_iter().map(TraceHit::from).collect(),
        })
    }
}

/// A header value, percent-decoded.
pub(crate) fn decoded_header(headers: &HeaderMap, name: &str) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(percent_decode(text))
}

/// Percent-decodes a text; invalid escapes are kept.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) if *byte == b'%' => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            _ => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The JSON response; zero values may be absent.
#[derive(Deserialize)]
struct SearchJson {
    #[serde(default)]
    traces: Vec<TraceHitJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct TraceHitJson {
    #[serde(rename = "traceID")]
    trace_id: String,
    root_service_name: String,
    root_trace_name: String,
    start_time_unix_nano: LenientInteger,
    duration_ms: LenientInteger,
    span_sets: Vec<SpansetHitJson>,
    span_set: Option<SpansetHitJson>,
    service_stats: BTreeMap<String, ServiceStatsJson>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ServiceStatsJson {
    span_count: LenientInteger,
    error_count: LenientInteger,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SpansetHitJson {
    spans: Vec<SpanHitJson>,
    matched: LenientInteger,
    attributes: Vec<otlp::AttributeJson>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SpanHitJson {
    #[serde(rename = "spanID")]
    span_id: String,
    name: String,
    start_time_unix_nano: LenientInteger,
    duration_nanos: LenientInteger,
    attributes: Vec<otlp::AttributeJson>,
}

impl From<TraceHitJson> for TraceHit {
    fn from(found: TraceHitJson) -> Self {
        let sets = match found.span_sets.is_empty() {
            true => found.span_set.into_iter().collect(),
            false => found.span_sets,
        };
        let stats = |(name, stats): (String, ServiceStatsJson)| (name, (stats.span_count.0, stats.error_count.0));
        Self {
            id: found.trace_id,
            root_service: found.root_service_name,
            root_name: found.root_trace_name,
            start: found.start_time_unix_nano.0,
            duration_ms: found.duration_ms.0,
            spansets: sets.into_iter().map(SpansetHit::from).collect(),
            services: found.service_stats.into_iter().map(stats).collect(),
        }
    }
}

impl From<SpansetHitJson> for SpansetHit {
    fn from(found: SpansetHitJson) -> Self {
        let span = |span: SpanHitJson| SpanHit {
            id: span.span_id,
            name: span.name,
            start: span.start_time_unix_nano.0,
            duration: span.duration_nanos.0,
            attributes: span.attributes.into_iter().map(otlp::AttributeJson::pair).collect(),
        };
        Self {
            spans: found.spans.into_iter().map(span).collect(),
            matched: found.matched.0,
            attributes: found.attributes.into_iter().map(otlp::AttributeJson::pair).collect(),
        }
    }
}
