//! Spans in memory that no block has yet; they are found as soon as they are pushed.

mod columns;
mod content;
mod dictionary;
mod index_span;
mod segment;

pub(crate) use columns::Column;
pub(crate) use content::{Content, Shared};

use crate::codec;
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
        let mut content = self.content.write();
        let mut body = Vec::new();
        for span in spans {
            body.clear();
            codec::write_body(&mut body, span)?;
            content.push(span, &body)?;
        }
        Ok(())
    }

    /// Adds spans that are written already; takes as many written ones as there are spans.
    pub(crate) fn push_written<'a>(
        &self,
        spans: &[Span],
        bodies: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), SpanStoreError> {
        let mut content = self.content.write();
        spans.iter().zip(bodies).try_for_each(|(span, body)| content.push(span, body))
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
