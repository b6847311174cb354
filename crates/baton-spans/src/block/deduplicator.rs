//! Deduplication of spans with the same id.

use crate::codec;
use baton_span_ports::SpanStoreError;
use baton_types::SpanId;
use foldhash::quality::RandomState;
use std::collections::HashMap;

/// Location of a span of a trace: the number of its source, and its row there.
pub(super) type SpanLocation = (u32, u32);

/// Selects one span per id within a trace: the one that ended last, and among equals the first.
///
/// A span sent again may be more complete than before. Searches across blocks use the same rule.
#[derive(Default)]
pub(super) struct SpanDeduplicator {
    by_id: HashMap<SpanId, (u64, SpanLocation), RandomState>,
}

impl SpanDeduplicator {
    /// Starts another trace.
    pub(super) fn clear(&mut self) {
        self.by_id.clear();
    }

    /// Registers an encoded span.
    pub(super) fn register(&mut self, id: SpanId, body: &[u8], location: SpanLocation) -> Result<(), SpanStoreError> {
        let (_, end) = codec::read_times(body)?;
        let known = self.by_id.entry(id).or_insert((end, location));
        if end > known.0 {
            *known = (end, location);
        }
        Ok(())
    }

    /// Whether the span at that location is the selected one, once all are registered.
    pub(super) fn is_selected(&self, id: SpanId, expected: SpanLocation) -> bool {
        self.by_id.get(&id).is_some_and(|(_, location)| *location == expected)
    }
}
