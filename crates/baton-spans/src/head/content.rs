//! Content of a head.

use super::{
    chunk::{ChunkSpan, SpanChunk},
    columns::HeadColumns,
    heap::{map_bytes, vec_bytes},
    index_span::{index_shared, index_span},
};
use crate::{
    codec::{self, BorrowedSpan},
    index::{ValueLocation, own},
};
use baton_span_ports::SpanStoreError;
use baton_types::{SpanId, SpanResource, SpanScope, TraceId};
use foldhash::quality::RandomState;
use std::{collections::HashMap, ops::Range, sync::Arc};

/// Sentinel: no row.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// A span in the head.
#[derive(Clone, Copy)]
pub(crate) struct HeadRow {
    pub(crate) id: SpanId,
    /// The next span of the same trace.
    pub(crate) next: u32,
    /// Start of the span.
    pub(crate) start: u64,
    chunk: u32,
    from: u32,
    to: u32,
}

/// A trace in the head.
#[derive(Clone, Copy)]
pub(crate) struct HeadTrace {
    pub(crate) id: TraceId,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Resource and instrumentation scope of spans.
pub(crate) type ResourceScope = (Arc<SpanResource>, Arc<SpanScope>);

/// Content of a head; spans and traces are numbered in order of arrival.
pub(crate) struct HeadContent {
    pub(crate) rows: Vec<HeadRow>,
    pub(crate) trace_of: Vec<u32>,
    pub(crate) shared_of: Vec<u32>,
    pub(crate) traces: Vec<HeadTrace>,
    by_id: HashMap<TraceId, u32, RandomState>,
    pub(crate) shared: Vec<ResourceScope>,
    by_form: HashMap<Vec<u8>, u32>,
    last_shared: Option<u32>,
    /// Buffers of encoded spans.
    chunks: Vec<Vec<u8>>,
    /// Columns of spans, by row.
    pub(crate) own: HeadColumns,
    /// Columns of resources and scopes, by their number.
    pub(crate) common: HeadColumns,
    /// Memory of resources, scopes and their encoded forms.
    shared_bytes: usize,
}

impl HeadContent {
    /// Empty content.
    pub(crate) fn new() -> Self {
        Self {
            rows: Vec::new(),
            trace_of: Vec::new(),
            shared_of: Vec::new(),
            traces: Vec::new(),
            by_id: HashMap::default(),
            shared: Vec::new(),
            by_form: HashMap::new(),
            last_shared: None,
            chunks: Vec::new(),
            own: HeadColumns::new(),
            common: HeadColumns::new(),
            shared_bytes: 0,
        }
    }

    /// Memory in bytes, without that of the encoded spans.
    pub(crate) fn bytes(&self) -> usize {
        vec_bytes(&self.rows)
            + vec_bytes(&self.trace_of)
            + vec_bytes(&self.shared_of)
            + vec_bytes(&self.traces)
            + map_bytes(&self.by_id)
            + vec_bytes(&self.chunks)
            + self.shared_bytes
            + self.own.bytes()
            + self.common.bytes()
    }

    /// The ordinal of the trace with that id.
    pub(crate) fn ordinal(&self, id: TraceId) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    /// The encoded span without its resource and scope.
    pub(crate) fn body(&self, row: u32) -> &[u8] {
        let row = &self.rows[row as usize];
        &self.chunks[row.chunk as usize][row.from as usize..row.to as usize]
    }

    /// Durations of all spans in nanoseconds, by row.
    pub(crate) fn durations(&self) -> &[i64] {
        self.own.get(ValueLocation::Own, own::DURATION).map_or(&[], |column| &column.ints.values)
    }

    /// Whether two spans of a trace have the same id; `ids` is a buffer.
    pub(crate) fn has_duplicates(&self, ordinal: u32, ids: &mut Vec<SpanId>) -> bool {
        ids.clear();
        ids.extend(self.rows_of(ordinal).map(|row| self.rows[row as usize].id));
        ids.sort_unstable();
        ids.windows(2).any(|two| two[0] == two[1])
    }

    /// The rows of a trace.
    pub(crate) fn rows_of(&self, ordinal: u32) -> impl Iterator<Item = u32> {
        let first = self.traces.get(ordinal as usize).map_or(NO_ROW, |trace| trace.first);
        let row = |row: u32| (row != NO_ROW).then_some(row);
        std::iter::successors(row(first), move |at| row(self.rows[*at as usize].next))
    }

    /// Adds encoded spans; the buffer is kept.
    pub(super) fn add(&mut self, chunk: SpanChunk) -> Result<(), SpanStoreError> {
        let number = u32::try_from(self.chunks.len()).map_err(|_| too_many_spans())?;
        let SpanChunk { mut bytes, spans, shared } = chunk;
        let mut added = Ok(());
        for ChunkSpan { range, shared: of_span } in spans {
            let body = &bytes[range.start as usize..range.end as usize];
            let (resource, scope) = &shared[of_span as usize];
            added = BorrowedSpan::read(body).and_then(|span| self.push(&span, (resource, scope), number, &range));
            if added.is_err() {
                break;
            }
        }
        if bytes.len() < bytes.capacity() / 2 {
            bytes.shrink_to_fit();
        }
        self.chunks.push(bytes);
        added
    }

    /// Adds a span that is encoded in a buffer, with its resource and scope.
    fn push(
        &mut self,
        span: &BorrowedSpan<'_>,
        maker: (&Arc<SpanResource>, &Arc<SpanScope>),
        chunk: u32,
        body: &Range<u32>,
    ) -> Result<(), SpanStoreError> {
        let row = u32::try_from(self.rows.len()).ok().filter(|row| *row != NO_ROW).ok_or_else(too_many_spans)?;
        let shared = self.intern_shared(maker)?;
        let ordinal = self.append_to_trace(row, span);
        let (from, to) = (body.start, body.end);
        self.rows.push(HeadRow { id: span.id, next: NO_ROW, start: span.start, chunk, from, to });
        self.trace_of.push(ordinal);
        self.shared_of.push(shared);
        index_span(&mut self.own, row, span, maker.0)
    }

    /// Appends a row to its trace and returns the ordinal.
    fn append_to_trace(&mut self, row: u32, span: &BorrowedSpan<'_>) -> u32 {
        let end = span.end.max(span.start);
        let next = self.traces.len() as u32;
        let ordinal = *self.by_id.entry(span.trace).or_insert(next);
        if let Some(trace) = self.traces.get_mut(ordinal as usize) {
            self.rows[trace.last as usize].next = row;
            trace.last = row;
            trace.start = trace.start.min(span.start);
            trace.end = trace.end.max(end);
        } else {
            self.traces.push(HeadTrace { id: span.trace, start: span.start, end, first: row, last: row });
        }
        ordinal
    }

    fn intern_shared(
        &mut self,
        (resource, scope): (&Arc<SpanResource>, &Arc<SpanScope>),
    ) -> Result<u32, SpanStoreError> {
        if let Some(last) = self.last_shared {
            let (last_resource, last_scope) = &self.shared[last as usize];
            if Arc::ptr_eq(last_resource, resource) && Arc::ptr_eq(last_scope, scope) {
                return Ok(last);
            }
        }
        let mut form = Vec::new();
        codec::append(&mut form, &(&**resource, &**scope))?;
        let number = match self.by_form.get(&form) {
            Some(number) => {
                // The next span probably has the same `Arc`s: store them for the comparison by address.
                self.shared[*number as usize] = (Arc::clone(resource), Arc::clone(scope));
                *number
            }
            None => {
                let number = u32::try_from(self.shared.len()).map_err(|_| too_many_spans())?;
                index_shared(&mut self.common, number, resource, scope);
                self.shared.push((Arc::clone(resource), Arc::clone(scope)));
                self.shared_bytes += 4 * form.len() + 256;
                self.by_form.insert(form, number);
                number
            }
        };
        self.last_shared = Some(number);
        Ok(number)
    }
}

pub(super) fn too_many_spans() -> SpanStoreError {
    SpanStoreError::Unavailable("too many spans are in memory".to_owned())
}
