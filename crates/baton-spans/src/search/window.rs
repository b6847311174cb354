//! Traces of a segment that overlap a time range.

use super::budget::QueryBudget;
use crate::segment::Segment;
use baton_span_ports::{SpanStoreError, TimeRange};
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Per segment, the traces that may overlap the time range; segments outside of it are skipped. `None` if the deadline
/// has passed.
pub(super) fn windows(
    segments: &[Arc<dyn Segment>],
    range: TimeRange,
    budget: &QueryBudget,
) -> Result<Option<Vec<RoaringBitmap>>, SpanStoreError> {
    let mut windows = Vec::with_capacity(segments.len());
    for segment in segments {
        if budget.is_expired() {
            return Ok(None);
        }
        windows.push(window(segment.as_ref(), range)?);
    }
    Ok(Some(windows))
}

/// The traces of a segment that may overlap the time range.
pub(super) fn window(segment: &dyn Segment, range: TimeRange) -> Result<RoaringBitmap, SpanStoreError> {
    let summary = segment.summary();
    let mut traces = RoaringBitmap::new();
    if range.overlaps(summary.start, summary.end) {
        traces.insert_range(segment.window(range)?);
    }
    Ok(traces)
}
