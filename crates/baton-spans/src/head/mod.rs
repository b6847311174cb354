//! Spans in memory that no block has yet; they are found as soon as they are pushed.

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

/// Spans of one class in memory.
pub(crate) struct Head {
    class: SpanClass,
    content: RwLock<Content>,
}

impl Head {
    /// An empty one.
    pub(crate) fn new(class: SpanClass) -> Self {
        Self { class, content: RwLock::new(Content::new()) }
    }

    /// Adds spans; when this returns they are found.
    pub(crate) fn push(&self, spans: &[Span]) -> Result<(), SpanStoreError> {
        let mut gathered = Gathered::default();
        spans.iter().try_for_each(|span| gathered.add_as(self.class, span))?;
        let written = gathered.finish(&[])?;
        self.push_written(&written, &written.bodies)
    }

    /// Adds spans that are written already; what is written is kept, not copied.
    pub(crate) fn push_written(&self, written: &Written, bodies: &[Body]) -> Result<(), SpanStoreError> {
        let mut content = self.content.write();
        let piece = content.keep(&written.payload)?;
        for body in bodies {
            let span = SeenSpan::read(written.body(body))?;
            content.push(&span, written.maker(body)?, piece, &body.at)?;
        }
        Ok(())
    }

    /// How many spans there are.
    pub(crate) fn spans_len(&self) -> usize {
        self.content.read().rows.len()
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.content.read().bytes()
    }

    /// How long its spans are kept.
    pub(crate) fn class(&self) -> SpanClass {
        self.class
    }

    /// What it holds; nothing is added meanwhile.
    pub(crate) fn content(&self) -> RwLockReadGuard<'_, Content> {
        self.content.read()
    }
}
