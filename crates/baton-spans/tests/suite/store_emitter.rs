//! Emitted spans of this process.

use crate::store_sample::{check_all, open, small, span};
use baton_span_ports::SpanStore;
use baton_spans::{EmbeddedSpanStore, Probe, SpanEmitter, SpanStoreOptions};
use baton_telemetry::SpanSink;
use parking_lot::Mutex;
use std::{collections::HashSet, sync::mpsc};

#[tokio::test]
async fn emitted_spans_are_stored_without_blocking() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &small());
    let emitter = SpanEmitter::start(&store);
    for number in 0..500 {
        emitter.emit(span(number));
    }
    emitter.flush().await;
    check_all(&store, &(0..500).collect(), "emitted").await;
    assert_eq!(store.stats().await.unwrap().dropped, 0);
    let ids: HashSet<_> = (0..1000).map(|_| emitter.random_bytes()).collect();
    assert_eq!(ids.len(), 1000);
    assert!(emitter.now() > 1_700_000_000_000_000_000);
    store.close().await;
    emitter.emit(span(500));
    emitter.flush().await;
    assert_eq!(store.stats().await.unwrap().dropped, 1);
}

#[tokio::test]
async fn query_finds_spans_that_are_still_buffered() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &small());
    let (emitter, ended) = (SpanEmitter::start(&store), SpanEmitter::start(&store));
    drop(ended);
    for number in 0..10 {
        emitter.emit(span(number));
        check_all(&store, &(0..=number).collect(), "buffered").await;
    }
}

#[tokio::test]
async fn spans_beyond_the_queue_are_dropped_and_counted() {
    let (go, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let probe = Probe::new(move |_| {
        let _ = gate.lock().recv();
    });
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions { probe, ..SpanStoreOptions::default() }).unwrap();
    let emitter = SpanEmitter::start(&store);
    let emitted = 40_000;
    for number in 0..emitted {
        emitter.emit(span(number));
    }
    drop(go);
    emitter.flush().await;
    let stats = store.stats().await.unwrap();
    assert!(stats.dropped > 0);
    assert_eq!(stats.spans + stats.dropped, emitted);
}
