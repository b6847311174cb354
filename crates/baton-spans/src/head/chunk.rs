//! Buffers of encoded spans.

use super::ResourceScope;
use baton_types::{SpanResource, SpanScope};
use std::{ops::Range, sync::Arc};

/// Size of a buffer. Batches are copied into such buffers, because batches of many sizes would stay in partly used
/// pages of the allocator; a buffer of this size has pages of its own and is given back as a whole.
const CHUNK_BYTES: usize = 1 << 20;

/// Encoded spans with their resources and scopes, in order of arrival.
#[derive(Default)]
pub(super) struct SpanChunk {
    pub(super) bytes: Vec<u8>,
    pub(super) spans: Vec<ChunkSpan>,
    pub(super) shared: Vec<ResourceScope>,
}

/// Location of a span in the buffer, and the number of its resource and scope.
pub(super) struct ChunkSpan {
    pub(super) range: Range<u32>,
    pub(super) shared: u32,
}

impl SpanChunk {
    /// An empty buffer with room for a span of that length.
    pub(super) fn with_room(length: usize) -> Self {
        Self { bytes: Vec::with_capacity(CHUNK_BYTES.max(length)), ..Self::default() }
    }

    /// Whether a span of that length fits.
    pub(super) fn has_room(&self, length: usize) -> bool {
        self.bytes.len() + length <= self.bytes.capacity()
    }

    /// Adds a span that fits.
    pub(super) fn push(&mut self, body: &[u8], (resource, scope): (&Arc<SpanResource>, &Arc<SpanScope>)) {
        let is_last =
            |(last, last_scope): &ResourceScope| Arc::ptr_eq(last, resource) && Arc::ptr_eq(last_scope, scope);
        if !self.shared.last().is_some_and(is_last) {
            self.shared.push((Arc::clone(resource), Arc::clone(scope)));
        }
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(body);
        self.spans.push(ChunkSpan { range: start..self.bytes.len() as u32, shared: self.shared.len() as u32 - 1 });
    }

    /// Memory per span besides its body.
    pub(super) const SPAN_BYTES: usize = size_of::<ChunkSpan>();
}
