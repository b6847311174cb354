//! Which traces of a segment have to do with a time.

use crate::segment::Segment;
use baton_ports::{SpanStoreError, TimeRange};
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Per segment, the traces that may have to do with the time; a segment of another time is not asked.
pub(super) fn windows(segments: &[Arc<dyn Segment>], range: TimeRange) -> Result<Vec<RoaringBitmap>, SpanStoreError> {
    segments.iter().map(|segment| window(segment.as_ref(), range)).collect()
}

/// The traces of a segment that may have to do with the time.
pub(super) fn window(segment: &dyn Segment, range: TimeRange) -> Result<RoaringBitmap, SpanStoreError> {
    let summary = segment.summary();
    let mut traces = RoaringBitmap::new();
    if range.touches(summary.start, summary.end) {
        traces.insert_range(segment.window(range)?);
    }
    Ok(traces)
}
