//! Streaming reads of many spans, for exports.

use crate::{SpanStoreError, TimeRange};
use baton_ports::BoxFuture;
use baton_traceql::Query;
use baton_types::{Span, TraceId};
use std::sync::Arc;

/// Selects the spans to read.
#[derive(Clone, Debug)]
pub struct SpanReadRequest {
    /// Only spans that match this search.
    pub query: Arc<Query>,
    /// Only spans that started in this range.
    pub range: TimeRange,
    /// Whether keys of other emit modes match, as in a search.
    pub aliases: bool,
}

/// One result of a span reader.
#[derive(Clone, Debug, PartialEq)]
pub enum SpanReadItem {
    /// Spans, each returned once per read; spans of a trace are consecutive.
    Spans(Vec<Span>),
    /// This trace was skipped, because it is too large or takes too long to read.
    Skipped(TraceId),
}

/// Reads spans on demand with a bounded buffer.
pub trait SpanReader: Send {
    /// The next result; `None` at the end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<SpanReadItem>, SpanStoreError>>;
}
