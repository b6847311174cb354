//! In-memory segment of spans that are not in a block yet; they are searchable as soon as they are pushed.

mod columns;
mod content;
mod dictionary;
mod index_span;
mod segment;
mod table;

pub(crate) use columns::Column;
pub(crate) use content::{Content, Shared};

use crate::{
    codec::SeenSpan,
    wal::{Body, Gathered, Written},
};
use baton_ports::SpanStoreError;
use baton_types::{Span, SpanClass};
use parking_lot::{RwLock, RwLockReadGuard};

/// In-memory segment of one retention class.
pub(crate) struct Head {
    class: SpanClass,
    content: RwLock<Content>,
}

impl Head {
    /// An empty head.
    pub(crate) fn new(class: SpanClass) -> Self {
        Self { class, content: RwLock::new(Content::new()) }
    }

    /// Adds spans; they are searchable when this returns.
    pub(crate) fn push(&self, spans: &[Span]) -> Result<(), SpanStoreError> {
        let mut gathered = Gathered::default();
        spans.iter().try_for_each(|span| gathered.add_as(self.class, span))?;
        let written = gathered.finish(&[])?;
        self.push_written(&written, &written.bodies)
    }

    /// Adds encoded spans; the payload is shared, not copied.
    pub(crate) fn push_written(&self, written: &Written, bodies: &[Body]) -> Result<(), SpanStoreError> {
        let mut content = self.content.write();
        let piece = content.keep(&written.payload)?;
        for body in bodies {
            let span = SeenSpan::read(written.body(body))?;
            content.push(&span, written.maker(body)?, piece, &body.at)?;
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
    pub(crate) fn content(&self) -> RwLockReadGuard<'_, Content> {
        self.content.read()
    }
}
