//! Reading many spans one after the other, for those who take them elsewhere.

use crate::{BoxFuture, SpanStoreError, TimeRange};
use baton_traceql::Query;
use baton_types::{Span, TraceId};
use std::sync::Arc;

/// Which spans are read.
#[derive(Clone, Debug)]
pub struct ReadAsk {
    /// Those that answer this search.
    pub query: Arc<Query>,
    /// Of them, those that began in this time.
    pub range: TimeRange,
    /// Whether keys of other emit modes count, as in a search.
    pub aliases: bool,
}

/// What a reader brings.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadSpans {
    /// Spans, each once in all that is read; those of a trace follow each other.
    Spans(Vec<Span>),
    /// This trace is too large to be looked at as a whole, or takes too long, and was left out.
    LeftOut(TraceId),
}

/// Brings spans as somebody takes them: what nobody has taken yet has a bound.
pub trait SpanReader: Send {
    /// The next of them; `None` when that was all.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<ReadSpans>, SpanStoreError>>;
}
