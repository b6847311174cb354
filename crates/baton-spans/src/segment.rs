//! A searchable set of spans: the head in memory, or a block on disk.

use crate::{codec::SpanParts, index::RowTable};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanPredicate};
use baton_types::{Span, SpanClass, SpanValue, TraceId};
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// Metadata of a segment, available without reading its spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SegmentSummary {
    /// Retention class of its spans.
    pub(crate) class: SpanClass,
    /// Number of spans; duplicates may be counted twice.
    pub(crate) spans: u64,
    /// Start of the first span.
    pub(crate) start: u64,
    /// End of the last span.
    pub(crate) end: u64,
    /// Size on disk in bytes.
    pub(crate) bytes: u64,
}

/// The part of a trace that a segment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TracePart {
    pub(crate) id: TraceId,
    /// Start of its first span in this segment.
    pub(crate) start: u64,
    /// End of its last span in this segment.
    pub(crate) end: u64,
}

/// Callback that is given row-level access to a segment.
pub(crate) type TableVisitor<'a> = &'a mut dyn FnMut(&dyn RowTable) -> Result<(), SpanStoreError>;

/// Attribute names with their scopes.
pub(crate) type AttributeNames = Vec<(baton_traceql::AttributeScope, String)>;

/// Spans that can be searched; within a segment a trace is identified by an ordinal.
///
/// Results may contain false positives, never false negatives: every trace that meets a need is in the set.
pub(crate) trait Segment: Send + Sync {
    fn summary(&self) -> SegmentSummary;

    /// Number of traces.
    fn traces(&self) -> u32;

    /// Whether ordinals ascend as start times descend, as in every block; the head numbers traces in order of arrival.
    fn newest_first(&self) -> bool;

    /// Ordinals of the traces that may overlap the time range.
    fn window(&self, range: TimeRange) -> Result<Range<u32>, SpanStoreError>;

    /// Ordinals of the traces with a span that may meet the need; all of them for [`SpanPredicate::Anything`].
    fn matching_traces(&self, need: &SpanPredicate, aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError>;

    /// The trace with that ordinal.
    fn part(&self, ordinal: u32) -> Result<TracePart, SpanStoreError>;

    /// The ordinal of a trace, if the segment has it.
    fn ordinal(&self, trace: TraceId) -> Result<Option<u32>, SpanStoreError>;

    /// Passes the spans of a trace to the callback, restricted to the given parts, until it breaks. Returns the number
    /// of bytes read.
    fn each_span(
        &self,
        ordinal: u32,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError>;

    /// Calls the callback with row-level access; nothing is added to the segment meanwhile. Returns false if the
    /// segment has no row-level data.
    fn table(&self, work: TableVisitor<'_>) -> Result<bool, SpanStoreError>;

    /// Passes the spans of some rows to the callback, restricted to the given parts, until it breaks. Returns the
    /// number of bytes read.
    fn each_span_in(
        &self,
        rows: &RoaringBitmap,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError>;

    /// All spans of a trace.
    #[cfg(test)]
    fn spans(&self, ordinal: u32) -> Result<(Vec<Span>, u64), SpanStoreError> {
        let mut spans = Vec::new();
        let read = self.each_span(ordinal, &SpanParts::ALL, &mut |span| {
            spans.push(span);
            ControlFlow::Continue(())
        })?;
        Ok((spans, read))
    }

    /// Names of all attributes.
    fn names(&self) -> Result<AttributeNames, SpanStoreError>;

    /// At most `limit` values of a field with the number of spans that have them, optionally of the given traces only.
    fn values(
        &self,
        field: &Field,
        of: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<(SpanValue, u64)>, SpanStoreError>;
}
