//! What a frame says: batches, each with its marks, what its spans share, and the spans.

use crate::codec::{self, TableBuilder, Tables};
use baton_ports::SpanStoreError;
use baton_types::{Resource, Span, SpanClass, SpanScope};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, mem, ops::Range, sync::Arc};

/// What one large batch leaves of its memory for the next.
const KEPT: usize = 256 << 10;

/// How far sources have come, by name.
pub(crate) type Marks = BTreeMap<String, u64>;

#[derive(Serialize)]
struct HeadOut<'a> {
    marks: &'a [(&'a str, u64)],
    tables: &'a Tables,
    spans: usize,
}

#[derive(Deserialize)]
struct HeadIn {
    marks: Vec<(String, u64)>,
    tables: Tables,
    spans: usize,
}

/// One batch, as it is read again.
pub(crate) struct Entry {
    pub(crate) marks: Vec<(String, u64)>,
    pub(crate) spans: Vec<Span>,
}

/// A batch as it is written.
pub(crate) struct Written {
    pub(crate) payload: Arc<Vec<u8>>,
    /// Where its spans are: first telemetry, then memory.
    pub(crate) bodies: Vec<Body>,
    /// How many are telemetry.
    pub(crate) telemetry: usize,
    tables: Tables,
}

/// Where a span is in what is written, and by which numbers what it shares.
pub(crate) struct Body {
    pub(crate) at: Range<u32>,
    resource: u32,
    scope: u32,
}

impl Written {
    /// The spans themselves.
    pub(crate) fn spans(&self) -> Result<Vec<Span>, SpanStoreError> {
        read_entry(&mut self.payload.as_slice()).map(|entry| entry.spans)
    }

    /// The written form of a span without what it shares.
    pub(crate) fn body(&self, body: &Body) -> &[u8] {
        self.payload.get(body.at.start as usize..body.at.end as usize).unwrap_or_default()
    }

    /// Who emitted a span, and what made it.
    pub(crate) fn maker(&self, body: &Body) -> Result<(&Arc<Resource>, &Arc<SpanScope>), SpanStoreError> {
        let (resource, scope) =
            (self.tables.resources.get(body.resource as usize), self.tables.scopes.get(body.scope as usize));
        resource.zip(scope).ok_or_else(|| SpanStoreError::Corrupt("a span shares what is not written".to_owned()))
    }
}

/// Spans in the form in which they are written: gathered one by one as they end, while they are at hand, so that none has
/// to be kept until its batch is.
#[derive(Default)]
pub struct Gathered {
    tables: TableBuilder,
    telemetry: Bodies,
    memory: Bodies,
}

#[derive(Default)]
struct Bodies {
    bytes: Vec<u8>,
    bodies: Vec<Body>,
}

impl Gathered {
    /// Adds a span.
    pub fn add(&mut self, span: &Span) -> Result<(), SpanStoreError> {
        self.add_as(span.class(), span)
    }

    /// Adds a span to those of a class.
    pub(crate) fn add_as(&mut self, class: SpanClass, span: &Span) -> Result<(), SpanStoreError> {
        let (resource, scope) = (self.tables.resource(&span.resource)?, self.tables.scope(&span.scope)?);
        let Bodies { bytes, bodies } = match class {
            SpanClass::Telemetry => &mut self.telemetry,
            SpanClass::Memory => &mut self.memory,
        };
        let before = bytes.len();
        let written = write(bytes, span, (resource, scope));
        // What is half written would make everything behind it unreadable.
        let at = written.inspect_err(|_| bytes.truncate(before))?;
        bodies.push(Body { at, resource, scope });
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.telemetry.bodies.len() + self.memory.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.telemetry.bytes.len() + self.memory.bytes.len()
    }

    /// The spans themselves, for whoever wants to look at them.
    pub fn spans(mut self) -> Result<Vec<Span>, SpanStoreError> {
        self.finish(&[])?.spans()
    }

    /// The batch of all of them; there are none left, and the memory that they took is used again.
    pub(crate) fn finish(&mut self, marks: &[(&str, u64)]) -> Result<Written, SpanStoreError> {
        self.batch(marks).inspect_err(|_| *self = Self::default())
    }

    fn batch(&mut self, marks: &[(&str, u64)]) -> Result<Written, SpanStoreError> {
        let (tables, count, room) = (mem::take(&mut self.tables).tables(), self.len(), self.bytes());
        let mut head = Vec::new();
        codec::append(&mut head, &HeadOut { marks, tables: &tables, spans: count })?;
        place(head.len() + room)?;
        let mut payload = Vec::with_capacity(head.len() + room);
        payload.extend_from_slice(&head);
        let (telemetry, mut bodies) = (self.telemetry.bodies.len(), Vec::with_capacity(count));
        for part in [&mut self.telemetry, &mut self.memory] {
            let before = place(payload.len())?;
            let moved = |body: Body| Body { at: before + body.at.start..before + body.at.end, ..body };
            bodies.extend(part.bodies.drain(..).map(moved));
            payload.extend_from_slice(&part.bytes);
            part.bytes.clear();
            part.bytes.shrink_to(KEPT);
        }
        Ok(Written { payload: Arc::new(payload), bodies, telemetry, tables })
    }
}

/// Appends a span and the numbers of what it shares; says where the span is.
fn write(bytes: &mut Vec<u8>, span: &Span, shared: (u32, u32)) -> Result<Range<u32>, SpanStoreError> {
    let start = place(bytes.len())?;
    codec::write_body(bytes, span)?;
    let at = start..place(bytes.len())?;
    codec::append(bytes, &shared)?;
    Ok(at)
}

fn place(length: usize) -> Result<u32, SpanStoreError> {
    u32::try_from(length).map_err(|_| SpanStoreError::Unavailable("more spans came at once than are taken".to_owned()))
}

/// Takes a batch from the front of a payload.
pub(crate) fn read_entry(payload: &mut &[u8]) -> Result<Entry, SpanStoreError> {
    let head: HeadIn = codec::take(payload)?;
    // A span takes more than one byte: damage that passed every check must not reserve more than there is.
    let mut spans = Vec::with_capacity(head.spans.min(payload.len()));
    for _ in 0..head.spans {
        spans.push(codec::read_span(payload, &head.tables)?);
    }
    Ok(Entry { marks: head.marks, spans })
}
