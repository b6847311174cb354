//! Reading spans through the port at the speed of the reader.

use crate::store_sample::{batch, open, small};
use baton_span_ports::{SpanReadItem, SpanReadRequest, SpanReader, SpanStore, SpanStoreError, TimeRange};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_traceql::{Mode, parse};
use std::{collections::BTreeSet, sync::Arc};

/// Options for a few heads of spans.
fn roomy() -> SpanStoreOptions {
    SpanStoreOptions { head_spans: 6_000, merged_spans: 1 << 20, ..small() }
}

async fn begin(store: &EmbeddedSpanStore, query: &str) -> Result<Box<dyn SpanReader>, SpanStoreError> {
    let query = Arc::new(parse(query, Mode::Strict).unwrap().query);
    store.read(SpanReadRequest { query, range: TimeRange::ALL, aliases: false }).await
}

/// Number of remaining spans, and of different ones among them.
async fn rest(reader: &mut dyn SpanReader) -> Result<(usize, usize), SpanStoreError> {
    let (mut count, mut known) = (0, BTreeSet::new());
    while let Some(read) = reader.next().await? {
        let SpanReadItem::Spans(spans) = read else { panic!("{read:?}") };
        count += spans.len();
        known.extend(spans.iter().map(|span| (span.trace, span.id)));
    }
    Ok((count, known.len()))
}

#[tokio::test]
async fn concurrent_readers_are_limited_and_read_each_span_once() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &roomy());
    for first in (0..20_000).step_by(1_000) {
        store.ingest(batch(first..first + 1_000)).await.unwrap();
    }
    store.ingest(batch(19_000..20_000)).await.unwrap();
    let mut one = begin(&store, "{ }").await.unwrap();
    let mut other = begin(&store, "{ .number = 1 }").await.unwrap();
    let more = [begin(&store, "{ }").await.unwrap(), begin(&store, "{ }").await.unwrap()];
    assert!(matches!(begin(&store, "{ }").await, Err(SpanStoreError::Busy)));
    drop(more);
    assert_eq!(rest(&mut *one).await, Ok((20_000, 20_000)));
    assert_eq!(rest(&mut *other).await, Ok((1, 1)));
    // Spans stored after the start of the reading may or may not be included.
    let mut left = begin(&store, "{ }").await.unwrap();
    assert!(left.next().await.unwrap().is_some());
    store.close().await;
    let after = rest(&mut *left).await;
    assert!(matches!(after, Err(SpanStoreError::Unavailable(_))), "{after:?}");
}

#[tokio::test]
async fn dropped_reader_frees_its_slot() {
    let store = EmbeddedSpanStore::in_memory(roomy()).unwrap();
    for first in (0..20_000).step_by(1_000) {
        store.ingest(batch(first..first + 1_000)).await.unwrap();
    }
    let readers = [begin(&store, "{ }").await.unwrap(), begin(&store, "{ }").await.unwrap()];
    drop(readers);
    // The reader's thread stops at its next batch.
    while begin(&store, "{ }").await.is_err() {
        tokio::task::yield_now().await;
    }
}
