//! The span store and its queries.

use crate::{ForwardTarget, HopList, SpanReadRequest, SpanReader, error_codes};
use baton_ports::BoxFuture;
use baton_traceql::{Query, Series, Steps};
use baton_types::{AttributeKey, ErrorCode, Span, SpanStatus, SpanValue, TraceId};
use std::{sync::Arc, time::Duration};

/// Spans that are ingested together, with the position of their source.
#[derive(Clone, Debug, Default)]
pub struct SpanBatch {
    /// The spans.
    pub spans: Vec<Span>,
    /// A source position stored with the spans: its name, and a value that never decreases.
    pub mark: Option<(&'static str, u64)>,
}

/// A time range in nanoseconds since the Unix epoch; both ends are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// Earliest time.
    pub start: u64,
    /// Latest time.
    pub end: u64,
}

impl TimeRange {
    /// The unbounded range.
    pub const ALL: Self = Self { start: 0, end: u64::MAX };

    /// Whether the interval from `start` to `end` overlaps the range.
    pub fn overlaps(&self, start: u64, end: u64) -> bool {
        start <= self.end && end >= self.start
    }
}

/// A TraceQL search.
#[derive(Clone, Debug)]
pub struct TraceSearchRequest {
    /// The query.
    pub query: Arc<Query>,
    /// Only traces that overlap this range.
    pub range: TimeRange,
    /// Maximum number of traces.
    pub limit: usize,
    /// Maximum number of spans returned per spanset.
    pub spans_per_spanset: usize,
    /// Whether keys of other emit modes match: a query for `agent.id` also finds `gen_ai.agent.id`.
    pub aliases: bool,
}

/// Result of a search, newest trace first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceSearchResult {
    /// The traces.
    pub traces: Vec<TraceMatch>,
    /// Number of inspected traces.
    pub inspected_traces: u64,
    /// Number of bytes read.
    pub inspected_bytes: u64,
    /// Whether the search stopped early: more traces may match.
    pub partial: bool,
}

/// A matching trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceMatch {
    /// Its id.
    pub id: TraceId,
    /// Service of the root span, or of the first span while the root is missing.
    pub root_service: String,
    /// Name of that span.
    pub root_name: String,
    /// Start of the first span.
    pub start: u64,
    /// Time from the first start to the last end, in nanoseconds.
    pub duration: u64,
    /// The matching spansets.
    pub spansets: Vec<SpansetMatch>,
    /// Per service, by name: number of spans and of spans with an error.
    pub services: Vec<(String, ServiceStats)>,
}

/// Span counts of a service in a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceStats {
    /// All spans.
    pub spans: u32,
    /// Those with an error.
    pub errors: u32,
}

/// Spans of a trace that matched together.
#[derive(Clone, Debug, PartialEq)]
pub struct SpansetMatch {
    /// The first matching spans, by start time.
    pub spans: Vec<SpanMatch>,
    /// Number of matching spans.
    pub matched: u32,
    /// Results of `by` and of aggregates for the set.
    pub attributes: Vec<(String, SpanValue)>,
}

/// A matching span.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanMatch {
    /// Its id.
    pub id: baton_types::SpanId,
    /// Its name.
    pub name: AttributeKey,
    /// Start time.
    pub start: u64,
    /// Duration in nanoseconds.
    pub duration: u64,
    /// Status of the span.
    pub status: SpanStatus,
    /// Attributes that the query uses or selects, keys without scope.
    pub attributes: Vec<(AttributeKey, SpanValue)>,
}

/// A metrics query.
#[derive(Clone, Debug)]
pub struct SpanMetricsRequest {
    /// The query.
    pub query: Arc<Query>,
    /// The intervals; only spans that started in one of them count.
    pub steps: Steps,
    /// Maximum number of exemplars per series.
    pub exemplars: usize,
    /// Whether keys of other emit modes match, as in a search.
    pub aliases: bool,
}

/// Result of a metrics query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsResult {
    /// The series, by their labels.
    pub series: Vec<Series>,
    /// Number of inspected spans.
    pub inspected_spans: u64,
    /// Number of bytes read.
    pub inspected_bytes: u64,
    /// Whether data was left out because of time or memory limits: the values are too low.
    pub partial: bool,
}

/// Query for attribute names or values.
#[derive(Clone, Debug)]
pub struct TagsRequest {
    /// Only of matching spans; conditions that no index can answer are left out.
    pub query: Option<Arc<Query>>,
    /// Only of spans in this range.
    pub range: TimeRange,
    /// Maximum number of results.
    pub limit: usize,
    /// Whether keys of other emit modes match in the query, as in a search.
    pub aliases: bool,
}

/// Attribute names by scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagNames {
    /// Of spans, sorted.
    pub span: Vec<String>,
    /// Of resources.
    pub resource: Vec<String>,
    /// Of events.
    pub event: Vec<String>,
    /// Of links.
    pub link: Vec<String>,
    /// Of instrumentations.
    pub instrumentation: Vec<String>,
}

/// Size, age and limits of the store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanStats {
    /// Stored spans.
    pub spans: u64,
    /// Of them, spans in memory that are not in a block yet.
    pub head_spans: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes on disk, including the log.
    pub bytes: u64,
    /// Start of the oldest span; 0 if there are none.
    pub oldest: u64,
    /// End of the span that ended last; 0 if there are none.
    pub newest: u64,
    /// Telemetry older than this is deleted.
    pub max_age: Option<Duration>,
    /// Telemetry beyond this many bytes is deleted, oldest first.
    pub max_bytes: Option<u64>,
    /// Telemetry that started before this may have been deleted to free space; 0 if none was.
    pub complete_since: u64,
    /// Locally emitted spans that could not be stored since startup.
    pub dropped: u64,
}

/// Error of a span store operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanStoreError {
    /// Spans arrive faster than the disk can write; retry later.
    #[error("the span store is busy; try again in a second")]
    Busy,
    /// The query cannot be executed.
    #[error(transparent)]
    Query(#[from] baton_traceql::QueryError),
    /// The result exceeds the size limit.
    #[error("{0}")]
    TooLarge(String),
    /// Nothing was read or written, or it is unknown whether it was.
    #[error("the span store is unavailable: {0}")]
    Unavailable(String),
    /// Files are damaged.
    #[error("the span store is damaged: {0}")]
    Corrupt(String),
}

impl SpanStoreError {
    /// The public error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Busy => ErrorCode::BUSY,
            Self::Query(baton_traceql::QueryError::TooLarge(_)) => error_codes::QUERY_TOO_LARGE,
            Self::Query(_) => ErrorCode::TRACEQL_INVALID,
            Self::TooLarge(_) => error_codes::TRACE_TOO_LARGE,
            Self::Unavailable(_) => ErrorCode::SPANS_UNAVAILABLE,
            Self::Corrupt(_) => error_codes::SPANS_CORRUPT,
        }
    }
}

/// Subscription to newly stored spans; a slow subscriber misses batches and receives their number.
pub trait SpanFeed: Send {
    /// The next event; `None` when the store closes.
    fn next(&mut self) -> BoxFuture<'_, Option<SpanFeedEvent>>;
}

/// One event of a span feed.
#[derive(Clone, Debug)]
pub enum SpanFeedEvent {
    /// Spans, in storage order.
    Spans(Arc<Vec<Span>>),
    /// Number of missed batches.
    Missed(u64),
}

/// Stores spans and answers TraceQL queries.
pub trait SpanStore: Send + Sync + 'static {
    /// Stores spans: they are searchable and on disk when this resolves. Fails immediately if the queue is full.
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>>;

    /// Executes a search.
    fn search(&self, request: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>>;

    /// Executes a metrics query.
    fn metrics(&self, request: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>>;

    /// All spans of a trace, each once, by start time; empty if the trace is unknown. Fails if the trace does not fit
    /// into memory.
    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>>;

    /// Attribute names.
    fn tags(&self, request: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>>;

    /// The distinct values of a field, most frequent first.
    fn tag_values(
        &self,
        field: baton_traceql::Field,
        request: TagsRequest,
    ) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>>;

    /// Subscribes to spans stored from now on.
    fn subscribe(&self) -> Box<dyn SpanFeed>;

    /// The durable position of a source.
    fn mark(&self, name: &str) -> Option<u64>;

    /// Size, age and limits of the store.
    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>>;

    /// Reads any number of locally stored spans. A store without local spans returns an error.
    fn read(&self, _request: SpanReadRequest) -> BoxFuture<'_, Result<Box<dyn SpanReader>, SpanStoreError>> {
        let reason = "this span store does not support bulk reads".to_owned();
        Box::pin(std::future::ready(Err(SpanStoreError::Unavailable(reason))))
    }

    /// The store that handles a forwarded query. Only a store that forwards queries itself overrides this.
    fn forwarding(&self, _hops: &HopList) -> ForwardTarget {
        ForwardTarget::Local
    }
}
