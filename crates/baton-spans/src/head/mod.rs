//! Spans in memory that no block has yet; they are found as soon as they are pushed.

mod columns;
mod content;
mod dictionary;
mod index_span;
mod segment;
mod table;

pub(crate) use columns::Column;
pub(crate) use content::{Content, Shared};

use crate::wal::{Written, write_entry};
use baton_ports::SpanStoreError;
use baton_types::{Span, SpanClass};
use parking_lot::{RwLock, RwLockReadGuard};
use std::{ops::Range, sync::Arc};

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
        let Written { payload, bodies } = write_entry(&[], spans)?;
        self.push_written(spans, &payload, &bodies)
    }

    /// Adds spans that are written already; what is written is kept, not copied.
    pub(crate) fn push_written(
        &self,
        spans: &[Span],
        payload: &Arc<Vec<u8>>,
        bodies: &[Range<u32>],
    ) -> Result<(), SpanStoreError> {
        let mut content = self.content.write();
        let piece = content.keep(payload)?;
        spans.iter().zip(bodies).try_for_each(|(span, body)| content.push(span, piece, body))
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
