//! What a frame says: batches, each with its marks, what its spans share, and the spans.

use crate::codec::{self, TableBuilder, Tables};
use baton_ports::SpanStoreError;
use baton_types::Span;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// How far sources have come, by name.
pub(crate) type Marks = BTreeMap<String, u64>;

#[derive(Serialize)]
struct HeadOut<'a> {
    marks: &'a [(&'a str, u64)],
    tables: Tables,
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

/// A batch as it is written, and where in it the spans are without what they share.
pub(crate) struct Written {
    pub(crate) payload: Arc<Vec<u8>>,
    /// In the order of the spans.
    pub(crate) bodies: Vec<Range<u32>>,
}

/// Writes a batch.
pub(crate) fn write_entry(marks: &[(&str, u64)], spans: &[Span]) -> Result<Written, SpanStoreError> {
    let mut tables = TableBuilder::default();
    for span in spans {
        tables.resource(&span.resource)?;
        tables.scope(&span.scope)?;
    }
    let mut payload = Vec::with_capacity(1024 + spans.iter().map(codec::length).sum::<usize>());
    codec::append(&mut payload, &HeadOut { marks, tables: tables.tables(), spans: spans.len() })?;
    let mut bodies = Vec::with_capacity(spans.len());
    for span in spans {
        let begin = place(&payload)?;
        codec::write_body(&mut payload, span)?;
        bodies.push(begin..place(&payload)?);
        codec::append(&mut payload, &(tables.resource(&span.resource)?, tables.scope(&span.scope)?))?;
    }
    Ok(Written { payload: Arc::new(payload), bodies })
}

fn place(payload: &[u8]) -> Result<u32, SpanStoreError> {
    u32::try_from(payload.len())
        .map_err(|_| SpanStoreError::Unavailable("more spans came at once than are taken".to_owned()))
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
