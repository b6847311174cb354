//! In-memory segment of spans that are not in a block yet; they are searchable as soon as they are pushed.

mod columns;
mod content;
mod dictionary;
mod index_span;
mod segment;
mod table;

pub(crate) use columns::HeadColumn;
pub(crate) use content::{HeadContent, ResourceScope};

use crate::{
    codec::BorrowedSpan,
    wal::{EncodedBatch, SpanBatchEncoder, SpanBody},
};
use baton_span_ports::SpanStoreError;
use baton_types::{Span, SpanClass};
use parking_lot::{RwLock, RwLockReadGuard};

/// In-memory segment of one retention class.
pub(crate) struct SpanHead {
    class: SpanClass,
    content: RwLock<HeadContent>,
}

impl SpanHead {
    /// An empty head.
    pub(crate) fn new(class: SpanClass) -> Self {
        Self { class, content: RwLock::new(HeadContent::new()) }
    }

    /// Adds spans; they are searchable when this returns.
    pub(crate) fn push(&self, spans: &[Span]) -> Result<(), SpanStoreError> {
        let mut gathered = SpanBatchEncoder::default();
        spans.iter().try_for_each(|span| gathered.add_as(self.class, span))?;
        let written = gathered.finish(&[])?;
        self.push_encoded(&written, &written.bodies)
    }

    /// Adds encoded spans; the payload is shared, not copied.
    pub(crate) fn push_encoded(&self, written: &EncodedBatch, bodies: &[SpanBody]) -> Result<(), SpanStoreError> {
        let mut content = self.content.write();
        let piece = content.add_payload(&written.payload)?;
        for body in bodies {
            let span = BorrowedSpan::read(written.body(body))?;
            content.push(&span, written.resource_and_scope(body)?, piece, &body.range)?;
        }
        Ok(())
    }

    /// Number of spans.
    pub(crate) fn spans_len(&self) -> usize {
        self.content.read().rows.len()
    }

    /// Approximate memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.content.read().bytes()
    }

    /// Retention class of its spans.
    pub(crate) fn class(&self) -> SpanClass {
        self.class
    }

    /// Read access to the content; nothing is added while the guard is held.
    pub(crate) fn content(&self) -> RwLockReadGuard<'_, HeadContent> {
        self.content.read()
    }
}
