//! Spans that are sent again with more data.

use crate::store_sample::{check_all, open, small, span, trace_of, traces};
use baton_span_ports::{SpanBatch, SpanStore};
use baton_spans::{Probe, SpanStoreOptions};
use baton_types::Span;
use std::{sync::mpsc, time::Duration};

/// The span with that number as sent at its start.
fn stub(number: u64) -> Span {
    let whole = span(number);
    Span { name: "stub".into(), end: whole.start, attributes: Vec::new(), events: Vec::new(), ..whole }
}

#[tokio::test]
async fn duplicate_span_that_ended_last_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let (deleted, merged) = mpsc::channel();
    let probe = Probe::new(move |step| {
        if step == "block deleted" {
            let _ = deleted.send(());
        }
    });
    // Two blocks are enough for a merge.
    let options = SpanStoreOptions { probe, merged_spans: 8, ..small() };
    let store = open(directory.path(), &options);
    store.ingest(SpanBatch { spans: vec![stub(1), stub(2), span(3)], mark: None }).await.unwrap();
    store.ingest(SpanBatch { spans: vec![span(1)], mark: None }).await.unwrap();
    for place in ["in the head", "in a block"] {
        assert_eq!(store.trace(trace_of(1)).await.unwrap(), [span(1), stub(2), span(3)], "{place}");
        store.flush().await.unwrap();
    }
    assert_eq!(store.stats().await.unwrap().spans, 3);
    store.ingest(SpanBatch { spans: vec![stub(3), span(2), span(6)], mark: None }).await.unwrap();
    store.flush().await.unwrap();
    for _ in 0..2 {
        merged.recv_timeout(Duration::from_secs(30)).unwrap();
    }
    for place in ["merged", "opened again"] {
        let store = if place == "merged" { store.clone() } else { open(directory.path(), &options) };
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.blocks, stats.spans), (1, 4), "{place}");
        check_all(&store, &[1, 2, 3, 6].into(), place).await;
        assert_eq!(traces(&store, "{ name = \"stub\" }").await, 0, "{place}");
        assert_eq!(traces(&store, "{ .number = 1 } && { .number = 2 } && { .number = 3 }").await, 1, "{place}");
        store.close().await;
    }
}
