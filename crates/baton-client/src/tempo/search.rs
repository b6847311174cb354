//! Searches by TraceQL.

use crate::{Client, ClientError, call::unintelligible};
use baton_types::Value;
use baton_wire::path_segment;
use http::HeaderMap;
use serde::Deserialize;
use std::{collections::BTreeMap, fmt::Write as _};

use super::otlp::{self, Number};

/// The headers in which a Baton says what Tempo's answer has no room for.
pub(crate) const CANONICAL: &str = "x-baton-canonical-query";
pub(crate) const WARNINGS: &str = "x-baton-warnings";

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// The query, in TraceQL.
    pub query: String,
    /// Only traces that have to do with the time from here, in seconds since the Unix epoch.
    pub start: Option<u64>,
    /// Only traces that have to do with the time up to here.
    pub end: Option<u64>,
    /// Most traces.
    pub limit: usize,
    /// Most spans that are listed of a set.
    pub spans_per_spanset: usize,
    /// Whether the query is taken exactly as Tempo would take it.
    pub strict: bool,
}

/// What a search found, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchReply {
    /// The answer as it came, in Tempo's JSON.
    pub body: String,
    /// The query as it was understood, when the server says so.
    pub canonical: Option<String>,
    /// What was rewritten, ignored or given up, in one line.
    pub warnings: Option<String>,
    /// The traces.
    pub traces: Vec<TraceHit>,
}

/// One trace that answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceHit {
    /// Its id, in hex.
    pub id: String,
    /// The service of its root.
    pub root_service: String,
    /// The name of its root.
    pub root_name: String,
    /// When it began, in nanoseconds since the Unix epoch.
    pub start: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// What matched.
    pub spansets: Vec<SpansetHit>,
    /// Per service: spans, and those with an error.
    pub services: BTreeMap<String, (u64, u64)>,
}

/// Spans that matched together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpansetHit {
    /// The first of them.
    pub spans: Vec<SpanHit>,
    /// How many there are.
    pub matched: u64,
    /// What `by` and aggregates said about the set.
    pub attributes: Vec<(String, Value)>,
}

/// One span that matched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanHit {
    /// Its id, in hex.
    pub id: String,
    /// Its name.
    pub name: String,
    /// When it began, in nanoseconds since the Unix epoch.
    pub start: u64,
    /// How long it took, in nanoseconds.
    pub duration: u64,
    /// What the query used or selected.
    pub attributes: Vec<(String, Value)>,
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
        let found: Found = serde_json::from_slice(&bytes).map_err(unintelligible)?;
        Ok(SearchReply {
            body: String::from_utf8(bytes.to_vec()).map_err(unintelligible)?,
            canonical: said(&headers, CANONICAL),
            warnings: said(&headers, WARNINGS),
            traces: found.traces.into_iter().map(TraceHit::from).collect(),
        })
    }
}

/// A header; letters that headers cannot have are percent-encoded.
pub(crate) fn said(headers: &HeaderMap, name: &str) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(decoded(text))
}

/// Text without its percent signs; as it is when it has none, or others.
fn decoded(text: &str) -> String {
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

/// The answer on the wire; zero values may be missing.
#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    traces: Vec<FoundTrace>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct FoundTrace {
    #[serde(rename = "traceID")]
    trace_id: String,
    root_service_name: String,
    root_trace_name: String,
    start_time_unix_nano: Number,
    duration_ms: Number,
    span_sets: Vec<FoundSet>,
    span_set: Option<FoundSet>,
    service_stats: BTreeMap<String, FoundStats>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FoundStats {
    span_count: Number,
    error_count: Number,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FoundSet {
    spans: Vec<FoundSpan>,
    matched: Number,
    attributes: Vec<otlp::KeyValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FoundSpan {
    #[serde(rename = "spanID")]
    span_id: String,
    name: String,
    start_time_unix_nano: Number,
    duration_nanos: Number,
    attributes: Vec<otlp::KeyValue>,
}

impl From<FoundTrace> for TraceHit {
    fn from(found: FoundTrace) -> Self {
        let sets = match found.span_sets.is_empty() {
            true => found.span_set.into_iter().collect(),
            false => found.span_sets,
        };
        let stats = |(name, stats): (String, FoundStats)| (name, (stats.span_count.0, stats.error_count.0));
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

impl From<FoundSet> for SpansetHit {
    fn from(found: FoundSet) -> Self {
        let span = |span: FoundSpan| SpanHit {
            id: span.span_id,
            name: span.name,
            start: span.start_time_unix_nano.0,
            duration: span.duration_nanos.0,
            attributes: span.attributes.into_iter().map(otlp::KeyValue::pair).collect(),
        };
        Self {
            spans: found.spans.into_iter().map(span).collect(),
            matched: found.matched.0,
            attributes: found.attributes.into_iter().map(otlp::KeyValue::pair).collect(),
        }
    }
}
