//! What a frame says: batches, each with its marks, what its spans share, and the spans.

use crate::codec::{self, TableBuilder, Tables};
use baton_ports::SpanStoreError;
use baton_types::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

/// Writes a batch.
pub(crate) fn write_entry(marks: &[(&str, u64)], spans: &[Span]) -> Result<Vec<u8>, SpanStoreError> {
    let mut tables = TableBuilder::default();
    for span in spans {
        tables.resource(&span.resource)?;
        tables.scope(&span.scope)?;
    }
    let mut payload = Vec::with_capacity(256 + 512 * spans.len());
    codec::append(&mut payload, &HeadOut { marks, tables: tables.tables(), spans: spans.len() })?;
    for span in spans {
        codec::write_span(&mut payload, span, &mut tables)?;
    }
    Ok(payload)
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
