//! Something that holds spans and can be asked: the head in memory, or a block on disk.

use crate::{codec::Parts, index::Table};
use baton_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanNeed};
use baton_types::{Span, SpanClass, TraceId, Value};
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// What a segment says about itself without being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// How long its spans are kept.
    pub(crate) class: SpanClass,
    /// How many spans; the same span may be counted twice.
    pub(crate) spans: u64,
    /// How many traces.
    pub(crate) traces: u32,
    /// When the first span began.
    pub(crate) start: u64,
    /// When the last one ended.
    pub(crate) end: u64,
    /// How many bytes it takes on disk.
    pub(crate) bytes: u64,
}

/// The part of a trace that a segment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TracePart {
    pub(crate) id: TraceId,
    /// When its first span here began.
    pub(crate) start: u64,
    /// When its last span here ended.
    pub(crate) end: u64,
}

/// What is done with rows one by one.
pub(crate) type Work<'a> = &'a mut dyn FnMut(&dyn Table) -> Result<(), SpanStoreError>;

/// Names of attributes with where they are.
pub(crate) type Names = Vec<(baton_traceql::Scope, String)>;

/// Spans that are found by what they say; a trace is known here by an ordinal.
///
/// Whatever is given may be too much, never too little: a trace that meets a need is in the set.
pub(crate) trait Segment: Send + Sync {
    fn summary(&self) -> Summary;

    /// Whether ordinals rise as start times fall, as in every block; the head numbers traces as they come.
    fn newest_first(&self) -> bool;

    /// Ordinals of the traces that may have to do with this time.
    fn window(&self, range: TimeRange) -> Result<Range<u32>, SpanStoreError>;

    /// Ordinals of the traces with a span that may meet the need; those of [`SpanNeed::Anything`] are all.
    fn meeting(&self, need: &SpanNeed, aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError>;

    /// The trace with that ordinal.
    fn part(&self, ordinal: u32) -> Result<TracePart, SpanStoreError>;

    /// The ordinal of a trace, if it is here.
    fn ordinal(&self, trace: TraceId) -> Result<Option<u32>, SpanStoreError>;

    /// Gives parts of the spans of the trace with that ordinal one by one until there are enough of them, and says how many
    /// bytes were read for them.
    fn each_span(
        &self,
        ordinal: u32,
        parts: &Parts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError>;

    /// Shows what is known of its rows one by one, while nothing is added to it; false when too little is known.
    fn table(&self, work: Work<'_>) -> Result<bool, SpanStoreError>;

    /// Gives parts of the spans in some rows one by one until there are enough of them, and says how many bytes were read
    /// for them.
    fn each_span_in(
        &self,
        rows: &RoaringBitmap,
        parts: &Parts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError>;

    /// All of them.
    #[cfg(test)]
    fn spans(&self, ordinal: u32) -> Result<(Vec<Span>, u64), SpanStoreError> {
        let mut spans = Vec::new();
        let read = self.each_span(ordinal, &Parts::ALL, &mut |span| {
            spans.push(span);
            ControlFlow::Continue(())
        })?;
        Ok((spans, read))
    }

    /// The names of attributes.
    fn names(&self) -> Result<Names, SpanStoreError>;

    /// Values of a field with how many spans have them, at most `limit`; of these traces only, if some are given.
    fn values(
        &self,
        field: &Field,
        of: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<(Value, u64)>, SpanStoreError>;
}
