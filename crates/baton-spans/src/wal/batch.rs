//! Content of a frame: batches, each with watermarks, resource and scope tables, and spans.

use crate::codec::{self, TableBuilder, Tables};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_types::{Span, SpanClass, SpanResource, SpanScope};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, mem, ops::Range, sync::Arc};

/// Size at which the producers of this process submit a batch without delay; their buffers keep this capacity.
pub(crate) const TARGET_BATCH_BYTES: usize = 512 << 10;

/// Positions of sources, by name.
pub(crate) type Watermarks = BTreeMap<String, u64>;

#[derive(Serialize)]
struct BatchHeaderRef<'a> {
    marks: &'a [(&'a str, u64)],
    tables: &'a Tables,
    spans: usize,
}

#[derive(Deserialize)]
struct BatchHeader {
    marks: Vec<(String, u64)>,
    tables: Tables,
    spans: usize,
}

/// A decoded batch.
pub(crate) struct WalEntry {
    pub(crate) marks: Vec<(String, u64)>,
    pub(crate) spans: Vec<Span>,
}

/// An encoded batch.
pub(crate) struct EncodedBatch {
    pub(crate) payload: Vec<u8>,
    /// Locations of its spans: telemetry first, then memory.
    pub(crate) bodies: Vec<SpanBody>,
    /// Number of telemetry spans.
    telemetry: usize,
    /// Times of the telemetry spans and of the memory spans.
    times: [TimeRange; 2],
    tables: Tables,
}

/// Location of a span in the payload, and the numbers of its resource and scope.
pub(crate) struct SpanBody {
    range: Range<u32>,
    resource: u32,
    scope: u32,
}

impl EncodedBatch {
    /// Locations of the spans of a class.
    pub(crate) fn bodies_of(&self, class: SpanClass) -> &[SpanBody] {
        let (telemetry, memory) = self.bodies.split_at(self.telemetry);
        match class {
            SpanClass::Telemetry => telemetry,
            SpanClass::Memory => memory,
        }
    }

    /// From the first start to the last end of the spans of a class; an empty range if there are none.
    pub(crate) fn times_of(&self, class: SpanClass) -> TimeRange {
        self.times[usize::from(class == SpanClass::Memory)]
    }

    /// Decodes the spans.
    pub(crate) fn spans(&self) -> Result<Vec<Span>, SpanStoreError> {
        read_entry(&mut self.payload.as_slice()).map(|entry| entry.spans)
    }

    /// The encoded span without its resource and scope.
    pub(crate) fn body(&self, body: &SpanBody) -> &[u8] {
        self.payload.get(body.range.start as usize..body.range.end as usize).unwrap_or_default()
    }

    /// Resource and scope of a span.
    pub(crate) fn resource_and_scope(
        &self,
        body: &SpanBody,
    ) -> Result<(&Arc<SpanResource>, &Arc<SpanScope>), SpanStoreError> {
        let (resource, scope) =
            (self.tables.resources.get(body.resource as usize), self.tables.scopes.get(body.scope as usize));
        resource.zip(scope).ok_or_else(|| {
            SpanStoreError::Corrupt("a span refers to a resource or scope that its batch does not contain".to_owned())
        })
    }
}

/// Encoder of a batch: spans are encoded one by one as they end, so that none has to be kept in memory until its batch
/// is written.
#[derive(Default)]
pub struct SpanBatchEncoder {
    tables: TableBuilder,
    telemetry: SpanBodies,
    memory: SpanBodies,
}

struct SpanBodies {
    bytes: Vec<u8>,
    bodies: Vec<SpanBody>,
    times: TimeRange,
}

/// The range that contains no time.
const NO_TIMES: TimeRange = TimeRange { start: u64::MAX, end: 0 };

impl Default for SpanBodies {
    fn default() -> Self {
        Self { bytes: Vec::new(), bodies: Vec::new(), times: NO_TIMES }
    }
}

impl SpanBatchEncoder {
    /// Adds a span.
    pub fn add(&mut self, span: &Span) -> Result<(), SpanStoreError> {
        self.add_as(span.class(), span)
    }

    /// Adds a span to the given class.
    pub(crate) fn add_as(&mut self, class: SpanClass, span: &Span) -> Result<(), SpanStoreError> {
        let (resource, scope) = (self.tables.resource(&span.resource)?, self.tables.scope(&span.scope)?);
        let SpanBodies { bytes, bodies, times } = match class {
            SpanClass::Telemetry => &mut self.telemetry,
            SpanClass::Memory => &mut self.memory,
        };
        let before = bytes.len();
        codec::write_body(bytes, span);
        let end = bytes.len();
        codec::put_number(bytes, u64::from(resource));
        codec::put_number(bytes, u64::from(scope));
        // A location that does not fit must not leave its span behind.
        let range = checked_range(before, end, bytes.len()).inspect_err(|_| bytes.truncate(before))?;
        bodies.push(SpanBody { range, resource, scope });
        times.start = times.start.min(span.start);
        times.end = times.end.max(span.end).max(span.start);
        Ok(())
    }

    /// Number of spans.
    pub fn len(&self) -> usize {
        self.telemetry.bodies.len() + self.memory.bodies.len()
    }

    /// Whether there are no spans.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Encoded size in bytes.
    pub fn bytes(&self) -> usize {
        self.telemetry.bytes.len() + self.memory.bytes.len()
    }

    /// Decodes the spans for inspection.
    pub fn spans(mut self) -> Result<Vec<Span>, SpanStoreError> {
        self.finish(&[])?.spans()
    }

    /// Returns the batch of all spans; the encoder is empty afterwards and its buffers are reused.
    pub(crate) fn finish(&mut self, marks: &[(&str, u64)]) -> Result<EncodedBatch, SpanStoreError> {
        self.batch(marks).inspect_err(|_| *self = Self::default())
    }

    fn batch(&mut self, marks: &[(&str, u64)]) -> Result<EncodedBatch, SpanStoreError> {
        let (tables, count, room) = (mem::take(&mut self.tables).tables(), self.len(), self.bytes());
        let mut head = Vec::new();
        codec::append(&mut head, &BatchHeaderRef { marks, tables: &tables, spans: count })?;
        checked_offset(head.len() + room)?;
        let mut payload = Vec::with_capacity(head.len() + room);
        payload.extend_from_slice(&head);
        let (telemetry, mut bodies) = (self.telemetry.bodies.len(), Vec::with_capacity(count));
        let times = [&mut self.telemetry, &mut self.memory].map(|part| mem::replace(&mut part.times, NO_TIMES));
        for part in [&mut self.telemetry, &mut self.memory] {
            let before = checked_offset(payload.len())?;
            let moved = |body: SpanBody| SpanBody { range: before + body.range.start..before + body.range.end, ..body };
            bodies.extend(part.bodies.drain(..).map(moved));
            payload.extend_from_slice(&part.bytes);
            part.bytes.clear();
            part.bytes.shrink_to(TARGET_BATCH_BYTES);
        }
        Ok(EncodedBatch { payload, bodies, telemetry, times, tables })
    }
}

/// Location of a span in a buffer of that length.
fn checked_range(start: usize, end: usize, length: usize) -> Result<Range<u32>, SpanStoreError> {
    checked_offset(length)?;
    Ok(checked_offset(start)?..checked_offset(end)?)
}

fn checked_offset(length: usize) -> Result<u32, SpanStoreError> {
    u32::try_from(length).map_err(|_| SpanStoreError::Unavailable("the batch of spans is too large".to_owned()))
}

/// Takes a batch from the front of a payload.
pub(crate) fn read_entry(payload: &mut &[u8]) -> Result<WalEntry, SpanStoreError> {
    let head: BatchHeader = codec::take(payload)?;
    // A span takes more than one byte: undetected damage must not reserve more than the payload length.
    let mut spans = Vec::with_capacity(head.spans.min(payload.len()));
    for _ in 0..head.spans {
        spans.push(codec::read_span(payload, &head.tables)?);
    }
    Ok(WalEntry { marks: head.marks, spans })
}
