//! Snapshot of the heads and blocks for readers.

use crate::{block::SpanBlock, head::SpanHead, segment::Segment, wal::Watermarks};
use baton_types::{Span, SpanClass};
use std::sync::Arc;

/// The heads that belong to one log file.
pub(super) struct HeadGeneration {
    /// Number of the log file.
    pub(super) number: u64,
    pub(super) telemetry: Arc<SpanHead>,
    pub(super) memory: Arc<SpanHead>,
}

impl HeadGeneration {
    pub(super) fn new(number: u64) -> Self {
        Self {
            number,
            telemetry: Arc::new(SpanHead::new(SpanClass::Telemetry)),
            memory: Arc::new(SpanHead::new(SpanClass::Memory)),
        }
    }

    pub(super) fn spans(&self) -> usize {
        self.telemetry.spans_len() + self.memory.spans_len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.telemetry.bytes() + self.memory.bytes()
    }
}

/// Immutable heads waiting to be flushed to blocks.
#[derive(Clone)]
pub(super) struct FrozenGeneration {
    pub(super) generation: Arc<HeadGeneration>,
    /// Watermarks at the time of the freeze.
    pub(super) marks: Arc<Watermarks>,
}

/// A block with its write time.
#[derive(Clone)]
pub(super) struct StoredBlock {
    pub(super) block: Arc<SpanBlock>,
    /// Nanoseconds since the Unix epoch; limits the age of spans whose clock ran ahead.
    pub(super) written: u64,
}

/// Immutable snapshot; replaced as a whole.
#[derive(Clone)]
pub(super) struct StoreView {
    pub(super) active: Arc<HeadGeneration>,
    /// Oldest first.
    pub(super) frozen: Vec<FrozenGeneration>,
    pub(super) blocks: Vec<StoredBlock>,
}

impl StoreView {
    /// All searchable segments.
    pub(super) fn segments(&self) -> Vec<Arc<dyn Segment>> {
        let mut segments: Vec<Arc<dyn Segment>> = Vec::with_capacity(2 + 2 * self.frozen.len() + self.blocks.len());
        for generation in self.heads() {
            for head in [&generation.telemetry, &generation.memory] {
                if head.spans_len() > 0 {
                    segments.push(Arc::clone(head) as Arc<dyn Segment>);
                }
            }
        }
        segments.extend(self.blocks.iter().map(|stored| Arc::clone(&stored.block) as Arc<dyn Segment>));
        segments
    }

    /// The heads, newest first.
    pub(super) fn heads(&self) -> impl Iterator<Item = &Arc<HeadGeneration>> {
        std::iter::once(&self.active).chain(self.frozen.iter().rev().map(|frozen| &frozen.generation))
    }
}

/// Moves telemetry spans before memory spans; returns the number of telemetry spans.
pub(super) fn partition_by_class(spans: &mut [Span]) -> usize {
    let memory = |span: &Span| span.class() == SpanClass::Memory;
    let first = spans.iter().position(memory).unwrap_or(spans.len());
    if spans[first..].iter().all(memory) {
        return first;
    }
    spans.sort_by_cached_key(memory);
    spans.partition_point(|span| !memory(span))
}
