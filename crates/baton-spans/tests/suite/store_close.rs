//! Closing a store during pending work or after one of its threads has ended.

use crate::store_sample::{batch, check_all, open, small, span, trace_of};
use baton_span_ports::{SpanBatch, SpanStore, SpanStoreError};
use baton_spans::{Probe, SpanStoreOptions};
use baton_types::{Span, SpanId, SpanValue};
use parking_lot::Mutex;
use std::{
    collections::BTreeSet,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A span that is large enough to fill a log write on its own.
fn large(number: u64) -> Span {
    let mut span = Span { trace: trace_of(0), ..span(number) };
    span.attributes.push(("much".into(), SpanValue::from("x".repeat(17 << 20))));
    span
}

#[test]
fn dropped_store_writes_queued_spans() {
    let directory = tempfile::tempdir().unwrap();
    let (at_gate, reached) = mpsc::channel();
    let (go, gate) = mpsc::channel::<()>();
    let (gate, first) = (Mutex::new(gate), AtomicBool::new(true));
    let probe = Probe::new(move |step| {
        if step == "log synced" && first.swap(false, Ordering::Relaxed) {
            at_gate.send(()).unwrap();
            let gate = gate.lock();
            gate.recv().unwrap();
            // No further message is sent: the timeout lets the store end everything that does not wait for the writer.
            let _ = gate.recv_timeout(Duration::from_millis(300));
        }
    });
    let options = SpanStoreOptions { head_spans: 1, queue_bytes: 256 << 20, probe, ..small() };
    let store = open(directory.path(), &options);
    drop(store.ingest(batch([1])));
    reached.recv().unwrap();
    for number in 1..4 {
        // Each batch fills the heads, and together they exceed the queue of the disk writer.
        drop(store.ingest(SpanBatch { spans: vec![large(10 + number)], mark: None }));
    }
    let (ended, end) = mpsc::channel();
    go.send(()).unwrap();
    thread::spawn(move || {
        drop(store);
        let _ = ended.send(());
    });
    end.recv_timeout(TIMEOUT).expect("the store does not close");
    drop(go);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let trace = open(directory.path(), &small()).trace(trace_of(0)).await.unwrap();
        let ids: BTreeSet<SpanId> = trace.iter().map(|span| span.id).collect();
        assert_eq!(ids, [1, 11, 12, 13].map(|number| span(number).id).into());
    });
}

#[tokio::test]
async fn calls_fail_after_the_writer_thread_has_ended() {
    let directory = tempfile::tempdir().unwrap();
    let probe = Probe::new(|step| assert_ne!(step, "block written", "intended panic of the writer thread"));
    let store = open(directory.path(), &SpanStoreOptions { probe, ..small() });
    let mut kept = BTreeSet::new();
    let refused = async {
        for part in 0..10_u64 {
            let numbers = 40 * part..40 * part + 40;
            match store.ingest(batch(numbers.clone())).await {
                Ok(()) => kept.extend(numbers),
                Err(error) => return error,
            }
        }
        panic!("every batch was accepted");
    };
    let refused = tokio::time::timeout(TIMEOUT, refused).await.expect("the writer hangs");
    assert!(matches!(refused, SpanStoreError::Unavailable(_)), "{refused}");
    check_all(&store, &kept, "still found").await;
    assert!(tokio::time::timeout(TIMEOUT, store.flush()).await.expect("the flush hangs").is_err());
    tokio::time::timeout(TIMEOUT, store.close()).await.expect("the store does not close");
    drop(store);
    check_all(&open(directory.path(), &small()), &kept, "nothing is lost").await;
}
