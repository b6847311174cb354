//! In-memory segment of spans that are not in a block yet; they are searchable as soon as they are pushed.
//!
//! Pushing only copies the encoded spans. They are indexed together by the first query that needs them, or when the head
//! is written as a block: most heads are never queried.

mod chunk;
mod columns;
mod content;
mod dictionary;
mod heap;
mod index_span;
mod segment;
mod table;

pub(crate) use columns::HeadColumn;
pub(crate) use content::{HeadContent, ResourceScope};

use crate::wal::{EncodedBatch, SpanBatchEncoder};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_types::{Span, SpanClass, SpanResource, SpanScope};
use chunk::SpanChunk;
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// In-memory segment of one retention class.
pub(crate) struct SpanHead {
    class: SpanClass,
    /// Locked before `pending`, while the pending spans are indexed.
    content: RwLock<HeadContent>,
    pending: Mutex<PendingSpans>,
    /// Number of buffers in `pending`.
    unindexed: AtomicUsize,
    /// Memory of the index.
    index_bytes: AtomicUsize,
}

/// Spans that are not indexed yet, and totals of all pushed spans.
struct PendingSpans {
    /// The last one has room.
    chunks: Vec<SpanChunk>,
    /// Memory of the spans in `chunks`.
    unindexed_bytes: usize,
    spans: usize,
    bytes: usize,
    times: TimeRange,
}

impl PendingSpans {
    fn push(&mut self, body: &[u8], maker: (&Arc<SpanResource>, &Arc<SpanScope>)) {
        if self.chunks.last().is_none_or(|chunk| !chunk.has_room(body.len())) {
            self.chunks.push(SpanChunk::with_room(body.len()));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(body, maker);
        }
        let bytes = body.len() + SpanChunk::SPAN_BYTES;
        self.spans += 1;
        self.bytes += bytes;
        self.unindexed_bytes += bytes;
    }
}

impl SpanHead {
    /// An empty head.
    pub(crate) fn new(class: SpanClass) -> Self {
        let times = TimeRange { start: u64::MAX, end: 0 };
        Self {
            class,
            content: RwLock::new(HeadContent::new()),
            pending: Mutex::new(PendingSpans { chunks: Vec::new(), unindexed_bytes: 0, spans: 0, bytes: 0, times }),
            unindexed: AtomicUsize::new(0),
            index_bytes: AtomicUsize::new(0),
        }
    }

    /// Adds spans; they are searchable when this returns.
    pub(crate) fn push(&self, spans: &[Span]) -> Result<(), SpanStoreError> {
        let mut gathered = SpanBatchEncoder::default();
        spans.iter().try_for_each(|span| gathered.add_as(self.class, span))?;
        self.push_encoded(&gathered.finish(&[])?)
    }

    /// Adds the spans of its class in a batch.
    pub(crate) fn push_encoded(&self, batch: &EncodedBatch) -> Result<(), SpanStoreError> {
        let bodies = batch.bodies_of(self.class);
        if bodies.is_empty() {
            return Ok(());
        }
        let mut pending = self.pending.lock();
        for body in bodies {
            pending.push(batch.body(body), batch.resource_and_scope(body)?);
        }
        let times = batch.times_of(self.class);
        pending.times.start = pending.times.start.min(times.start);
        pending.times.end = pending.times.end.max(times.end);
        self.unindexed.store(pending.chunks.len(), Ordering::Release);
        Ok(())
    }

    /// Number of spans.
    pub(crate) fn spans_len(&self) -> usize {
        self.pending.lock().spans
    }

    /// Memory of the encoded spans and of their index. The index of spans that are not indexed yet is expected to take as
    /// much memory as they do.
    pub(crate) fn bytes(&self) -> usize {
        let pending = self.pending.lock();
        pending.bytes + pending.unindexed_bytes + self.index_bytes.load(Ordering::Relaxed)
    }

    /// From the first start to the last end of its spans.
    pub(crate) fn times(&self) -> TimeRange {
        self.pending.lock().times
    }

    /// Retention class of its spans.
    pub(crate) fn class(&self) -> SpanClass {
        self.class
    }

    /// Read access to the content, with all spans pushed so far indexed; none are indexed while the guard is held.
    pub(crate) fn content(&self) -> RwLockReadGuard<'_, HeadContent> {
        // Zero is stored under the write lock of the content, so that the read lock waits for indexing in progress.
        if self.unindexed.load(Ordering::Acquire) == 0 {
            return self.content.read();
        }
        let mut content = self.content.write();
        let chunks = {
            let mut pending = self.pending.lock();
            self.unindexed.store(0, Ordering::Release);
            pending.unindexed_bytes = 0;
            mem::take(&mut pending.chunks)
        };
        for chunk in chunks {
            if let Err(error) = content.add(chunk) {
                // Batches are encoded by this process or checked when they are read, so this is unexpected.
                tracing::error!(%error, "spans in memory cannot be searched; they stay in the log");
            }
        }
        self.index_bytes.store(content.bytes(), Ordering::Relaxed);
        RwLockWriteGuard::downgrade(content)
    }

    /// Read access to the spans that are indexed already.
    fn indexed(&self) -> RwLockReadGuard<'_, HeadContent> {
        self.content.read()
    }
}
