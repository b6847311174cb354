//! Where spans are kept and asked for.

use crate::{BoxFuture, Onward, ReadAsk, SpanReader, Trail};
use baton_traceql::{Query, Series, Steps};
use baton_types::{ErrorCode, Key, Span, SpanStatus, TraceId, Value};
use std::{sync::Arc, time::Duration};

/// Spans that arrive together, and how far their source has come with them.
#[derive(Clone, Debug, Default)]
pub struct SpanBatch {
    /// The spans.
    pub spans: Vec<Span>,
    /// A mark that becomes durable with them: its name, and a position that never goes back.
    pub mark: Option<(&'static str, u64)>,
}

/// A stretch of time in nanoseconds since the Unix epoch; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// Not before.
    pub start: u64,
    /// Not after.
    pub end: u64,
}

impl TimeRange {
    /// All of it.
    pub const ALL: Self = Self { start: 0, end: u64::MAX };

    /// Whether something that took from `start` to `end` has to do with it.
    pub fn touches(&self, start: u64, end: u64) -> bool {
        start <= self.end && end >= self.start
    }
}

/// A search.
#[derive(Clone, Debug)]
pub struct SearchAsk {
    /// What is asked.
    pub query: Arc<Query>,
    /// Only traces that have to do with this time.
    pub range: TimeRange,
    /// Most traces.
    pub limit: usize,
    /// Most spans that are shown of a spanset.
    pub spans_per_spanset: usize,
    /// Whether keys of other emit modes count: a query for `agent.id` finds `gen_ai.agent.id`, too.
    pub aliases: bool,
}

/// What a search found, newest trace first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchAnswer {
    /// The traces.
    pub traces: Vec<FoundTrace>,
    /// How many traces were looked at.
    pub inspected_traces: u64,
    /// How many bytes were read.
    pub inspected_bytes: u64,
    /// Whether the search was given up before everything was looked at: more may match.
    pub partial: bool,
}

/// One trace that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTrace {
    /// Its id.
    pub id: TraceId,
    /// The service of its root, or of its first span while the root is not here.
    pub root_service: String,
    /// The name of that span.
    pub root_name: String,
    /// When its first span began.
    pub start: u64,
    /// From the first beginning to the last end, in nanoseconds.
    pub duration: u64,
    /// What matched.
    pub spansets: Vec<FoundSpanset>,
    /// Per service, by name: spans, and those with an error.
    pub services: Vec<(String, ServiceStats)>,
}

/// How much of a trace a service has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceStats {
    /// All spans.
    pub spans: u32,
    /// Those with an error.
    pub errors: u32,
}

/// Spans of a trace that matched together.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSpanset {
    /// The first of them, by start time.
    pub spans: Vec<FoundSpan>,
    /// How many there are.
    pub matched: u32,
    /// What `by` and aggregates said about the set.
    pub attributes: Vec<(String, Value)>,
}

/// One span that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSpan {
    /// Its id.
    pub id: baton_types::SpanId,
    /// Its name.
    pub name: Key,
    /// When it began.
    pub start: u64,
    /// How long it took, in nanoseconds.
    pub duration: u64,
    /// How it ended.
    pub status: SpanStatus,
    /// What the query used or selected, keys without scope.
    pub attributes: Vec<(Key, Value)>,
}

/// A metrics query.
#[derive(Clone, Debug)]
pub struct MetricsAsk {
    /// What is asked.
    pub query: Arc<Query>,
    /// Over which intervals; only spans that began in one of them count.
    pub steps: Steps,
    /// Most spans that stand for others, in each series.
    pub exemplars: usize,
    /// Whether keys of other emit modes count, as in a search.
    pub aliases: bool,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsAnswer {
    /// The series, by their labels.
    pub series: Vec<Series>,
    /// How many spans were looked at.
    pub inspected_spans: u64,
    /// How many bytes were read.
    pub inspected_bytes: u64,
    /// Whether something was left out for want of time or room: the figures are too low.
    pub partial: bool,
}

/// The names or values of attributes.
#[derive(Clone, Debug)]
pub struct TagsAsk {
    /// Only of spans that match; what no index can answer is left out.
    pub query: Option<Arc<Query>>,
    /// Only of this time.
    pub range: TimeRange,
    /// Most.
    pub limit: usize,
    /// Whether keys of other emit modes count in the query, as in a search.
    pub aliases: bool,
}

/// Names of attributes by where they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
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

/// How much there is, and what is done about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanStats {
    /// Spans that are kept.
    pub spans: u64,
    /// Of them, those in memory that no block has yet.
    pub head_spans: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes on disk, with the log.
    pub bytes: u64,
    /// When the oldest began; 0 when there are none.
    pub oldest: u64,
    /// When the one that ended last ended; 0 when there are none.
    pub newest: u64,
    /// Telemetry older than this goes.
    pub max_age: Option<Duration>,
    /// Telemetry beyond this many bytes goes, oldest first.
    pub max_bytes: Option<u64>,
    /// Telemetry that began before this may have gone for want of room; 0 as long as there was room for all of it.
    pub whole_since: u64,
    /// Spans that were emitted here and could not be kept, since the start.
    pub dropped: u64,
}

/// Why the store refused or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanStoreError {
    /// More is arriving than the disk takes; try again after a while.
    #[error("the span store is busy; try again in a second")]
    Busy,
    /// The query cannot be run.
    #[error(transparent)]
    Query(#[from] baton_traceql::QueryError),
    /// What is asked for is more than one answer may hold.
    #[error("{0}")]
    TooLarge(String),
    /// Nothing was (or can be proved to have been) written or read.
    #[error("the span store is unavailable: {0}")]
    Unavailable(String),
    /// Files are damaged.
    #[error("the span store is damaged: {0}")]
    Corrupt(String),
}

impl SpanStoreError {
    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Busy => ErrorCode::BUSY,
            Self::Query(baton_traceql::QueryError::TooLarge(_)) => ErrorCode::QUERY_TOO_LARGE,
            Self::Query(_) => ErrorCode::TRACEQL_INVALID,
            Self::TooLarge(_) => ErrorCode::TRACE_TOO_LARGE,
            Self::Unavailable(_) => ErrorCode::SPANS_UNAVAILABLE,
            Self::Corrupt(_) => ErrorCode::SPANS_CORRUPT,
        }
    }
}

/// Hears of spans as soon as they are kept; one who listens too slowly misses some and is told how many.
pub trait SpanFeed: Send {
    /// The next spans; `None` when the store closes.
    fn next(&mut self) -> BoxFuture<'_, Option<Heard>>;
}

/// What a feed brings.
#[derive(Clone, Debug)]
pub enum Heard {
    /// Spans, in the order in which they were kept.
    Spans(Arc<Vec<Span>>),
    /// That many batches were missed.
    Missed(u64),
}

/// Keeps spans and answers TraceQL.
pub trait SpanStore: Send + Sync + 'static {
    /// Keeps spans: they can be found, and are on disk, when this resolves. A full queue refuses at once.
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>>;

    /// Answers a query.
    fn search(&self, ask: SearchAsk) -> BoxFuture<'_, Result<SearchAnswer, SpanStoreError>>;

    /// Measures what a metrics query asks for.
    fn metrics(&self, ask: MetricsAsk) -> BoxFuture<'_, Result<MetricsAnswer, SpanStoreError>>;

    /// All spans of a trace, each once, by start time; empty when it is not known. One that would not fit into memory is
    /// refused.
    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>>;

    /// The names of attributes.
    fn tags(&self, ask: TagsAsk) -> BoxFuture<'_, Result<Tags, SpanStoreError>>;

    /// The values of a field, each once, most frequent first.
    fn tag_values(
        &self,
        field: baton_traceql::Field,
        ask: TagsAsk,
    ) -> BoxFuture<'_, Result<Vec<Value>, SpanStoreError>>;

    /// Spans from now on.
    fn subscribe(&self) -> Box<dyn SpanFeed>;

    /// How far a source had come with what is on disk.
    fn mark(&self, name: &str) -> Option<u64>;

    /// How much there is.
    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>>;

    /// Reads spans that are kept here through, however many they are. A store that keeps none has none to read.
    fn read(&self, _ask: ReadAsk) -> BoxFuture<'_, Result<Box<dyn SpanReader>, SpanStoreError>> {
        let reason = "spans cannot be read through here".to_owned();
        Box::pin(std::future::ready(Err(SpanStoreError::Unavailable(reason))))
    }

    /// Who answers a question that others have passed on. Only a store that asks others itself has to care.
    fn passed_on(&self, _trail: &Trail) -> Onward {
        Onward::Itself
    }
}

/// Takes the spans of this process without ever making anybody wait.
pub trait SpanSink: Send + Sync + 'static {
    /// Keeps a span soon; when too many wait it is dropped and counted.
    fn emit(&self, span: Span);

    /// The present moment, in nanoseconds since the Unix epoch.
    fn now(&self) -> u64;

    /// Random bytes that no id has yet.
    fn fresh(&self) -> [u8; 16];
}
