//! Guarantees of the store port, on disk and in memory.

use crate::store_sample::{batch, check_all, found, open, small, span, traces};
use baton_span_ports::{SpanBatch, SpanFeedEvent, SpanStore, SpanStoreError};
use baton_spans::{EmbeddedSpanStore, Probe, SpanStoreOptions};
use parking_lot::Mutex;
use std::{collections::BTreeSet, sync::Arc, sync::mpsc};

#[tokio::test]
async fn stored_spans_are_found_at_once_and_after_restart() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("deep").join("spans");
    let mut kept = BTreeSet::new();
    for round in 0..4_u64 {
        let store = open(&data, &small());
        check_all(&store, &kept, "after a restart").await;
        assert_eq!(store.mark("journal"), round.checked_sub(1).map(|last| 10 * last + 7));
        for part in 0..10 {
            let first = 100 * round + 10 * part;
            let numbers = first..first + 10;
            let mark = Some(("journal", 10 * round + part.min(7)));
            store.ingest(SpanBatch { mark, ..batch(numbers.clone()) }).await.unwrap();
            kept.extend(numbers);
            check_all(&store, &kept, "read your writes").await;
        }
        // A mark never decreases and needs no spans.
        store.ingest(SpanBatch { spans: Vec::new(), mark: Some(("journal", 0)) }).await.unwrap();
        store.ingest(SpanBatch { spans: Vec::new(), mark: Some(("other", round)) }).await.unwrap();
        store.ingest(SpanBatch::default()).await.unwrap();
        assert_eq!((store.mark("journal"), store.mark("other")), (Some(10 * round + 7), Some(round)));
        if round == 1 {
            store.flush().await.unwrap();
            assert_eq!(store.stats().await.unwrap().head_spans, 0);
        }
        assert_eq!(traces(&store, "{ .insight.type = \"decision\" }").await, 100 * kept.len() / 500);
        assert_eq!(traces(&store, "{ .number = 1 }").await, 1);
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.spans, stats.oldest), (kept.len() as u64, span(0).start));
        assert_eq!(stats.newest, span(100 * round + 99).end);
        assert!(stats.bytes > 0 && stats.dropped == 0, "{stats:?}");
        if round < 3 {
            store.close().await;
            let late = store.ingest(batch([1])).await;
            assert!(matches!(late, Err(SpanStoreError::Unavailable(_))), "{late:?}");
        }
        // The last store is dropped without being closed.
    }
    check_all(&open(&data, &small()), &kept, "after a drop").await;
}

#[tokio::test]
async fn duplicate_spans_are_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let kept: BTreeSet<u64> = (0..100).collect();
    for _ in 0..3 {
        let store = open(directory.path(), &small());
        store.ingest(batch(kept.clone())).await.unwrap();
        check_all(&store, &kept, "sent again").await;
        store.flush().await.unwrap();
        check_all(&store, &kept, "in blocks").await;
        store.close().await;
    }
}

#[tokio::test]
async fn full_queue_rejects_and_keeps_accepted_spans() {
    let directory = tempfile::tempdir().unwrap();
    let (go, gate) = mpsc::channel::<()>();
    let (at_gate, reached) = mpsc::channel();
    let gate = Mutex::new(gate);
    let probe = Probe::new(move |step| {
        if step == "log synced" {
            let _ = at_gate.send(());
            let _ = gate.lock().recv();
        }
    });
    let options = SpanStoreOptions { queue_spans: 30, probe, head_spans: 1000, ..small() };
    let store = open(directory.path(), &options);
    let first = store.ingest(batch(0..10));
    reached.recv().unwrap();
    let mut listener = store.subscribe();
    // The first batch is on disk but not yet acknowledged; three fill the queue.
    let taken: Vec<_> = (1..4).map(|part| store.ingest(batch(10 * part..10 * part + 10))).collect();
    assert_eq!(store.ingest(batch([99])).await, Err(SpanStoreError::Busy));
    drop(go);
    first.await.unwrap();
    for taken in taken {
        taken.await.unwrap();
    }
    check_all(&store, &(0..40).collect(), "taken").await;
    let mut heard = 0;
    while heard < 40 {
        match listener.next().await {
            Some(SpanFeedEvent::Spans(spans)) => heard += spans.len(),
            other => panic!("{other:?}"),
        }
    }
    store.close().await;
    assert!(listener.next().await.is_none());
    drop(store);
    // A batch larger than the queue is accepted if the queue is empty.
    let store = open(directory.path(), &SpanStoreOptions { queue_spans: 30, ..small() });
    store.ingest(batch(40..200)).await.unwrap();
    check_all(&store, &(0..200).collect(), "a large batch").await;
}

#[tokio::test]
async fn slow_subscriber_gets_the_number_of_missed_spans() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let mut listener = store.subscribe();
    for number in 0..3000_u64 {
        store.ingest(batch([number])).await.unwrap();
    }
    store.close().await;
    let mut sum = 0;
    let mut numbers = Vec::new();
    while let Some(heard) = listener.next().await {
        match heard {
            SpanFeedEvent::Missed(missed) => sum += missed,
            SpanFeedEvent::Spans(spans) => {
                sum += 1;
                numbers.extend(spans.iter().map(|span| span.start));
            }
        }
    }
    assert_eq!(sum, 3000);
    assert!(numbers.len() < 3000 && numbers.is_sorted());
    assert_eq!(numbers.last(), Some(&span(2999).start));
}

#[tokio::test]
async fn memory_store_keeps_the_latest_spans() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions { head_spans: 400, ..small() }).unwrap();
    for part in 0..300_u64 {
        let mark = Some(("journal", part));
        store.ingest(SpanBatch { mark, ..batch(10 * part..10 * part + 10) }).await.unwrap();
    }
    assert_eq!(store.mark("journal"), Some(299));
    let found = found(&store, 3000).await;
    let first = *found.first().unwrap();
    assert!((300..=410).contains(&found.len()), "{}", found.len());
    assert_eq!(found, (first..3000).collect());
    assert_eq!(store.stats().await.unwrap().spans, found.len() as u64);
    store.flush().await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn concurrent_searches_and_writes_are_consistent() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &small());
    let bringing: Vec<_> = (0..4_u64)
        .map(|who| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for part in 0..50_u64 {
                    let first = who * 1000 + 4 * part;
                    store.ingest(batch(first..first + 4)).await.unwrap();
                    // Stored spans are always found exactly once, even while they are moved.
                    for earlier in (0..=part).step_by(7) {
                        let number = who * 1000 + 4 * earlier;
                        let trace = store.trace(crate::store_sample::trace_of(number)).await.unwrap();
                        assert_eq!(trace, (number..number + 4).map(span).collect::<Vec<_>>());
                    }
                }
            })
        })
        .collect();
    for task in bringing {
        task.await.unwrap();
    }
    let kept = (0..4).flat_map(|who| who * 1000..who * 1000 + 200).collect();
    check_all(&store, &kept, "all").await;
    store.close().await;
    check_all(&open(directory.path(), &small()), &kept, "all, again").await;
}
