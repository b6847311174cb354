//! Disk errors at chosen syncs.

use crate::{
    EmbeddedSpanStore, Probe, SpanStoreOptions, TelemetryRetention,
    disk::{faults::fail_syncs, names},
    wal,
};
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_types::{Span, SpanDropCounts, SpanId, SpanKind, SpanStatus, TraceId};
use parking_lot::Mutex;
use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

const TRACE: TraceId = TraceId([7; 16]);

fn batch(numbers: impl IntoIterator<Item = u64>) -> SpanBatch {
    let span = |number: u64| Span {
        trace: TRACE,
        id: SpanId(number.to_be_bytes()),
        parent: None,
        trace_state: String::new(),
        flags: 1,
        name: "work".into(),
        kind: SpanKind::Internal,
        start: number,
        end: number + 10,
        attributes: Vec::new(),
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: Arc::default(),
        scope: Arc::default(),
    };
    SpanBatch { spans: numbers.into_iter().map(span).collect(), mark: None }
}

fn options() -> SpanStoreOptions {
    SpanStoreOptions { retention: TelemetryRetention::default(), ..SpanStoreOptions::default() }
}

fn open(directory: &Path) -> Arc<EmbeddedSpanStore> {
    EmbeddedSpanStore::open(directory, options()).unwrap()
}

async fn found(store: &EmbeddedSpanStore) -> Vec<u64> {
    store.trace(TRACE).await.unwrap().iter().map(|span| span.start).collect()
}

/// Flushes until it succeeds; failed work is retried by the store.
async fn flush_until_ok(store: &EmbeddedSpanStore) {
    let flushed = async {
        while store.flush().await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), flushed).await.unwrap();
}

#[tokio::test]
async fn block_is_rewritten_after_a_failed_rename() {
    let directory = tempfile::tempdir().unwrap();
    let blocks = directory.path().join("blocks");
    let store = open(directory.path());
    for (round, failing) in [1..2, 1..3].into_iter().enumerate() {
        store.ingest(batch([round as u64])).await.unwrap();
        fail_syncs(&blocks, failing);
        assert!(store.flush().await.is_err());
        flush_until_ok(&store).await;
    }
    // A leftover directory has the name of the next block.
    fs::create_dir(blocks.join("telemetry-0000000003")).unwrap();
    fs::write(blocks.join("telemetry-0000000003").join("raw"), "half").unwrap();
    store.ingest(batch([2])).await.unwrap();
    flush_until_ok(&store).await;
    assert_eq!(found(&store).await, [0, 1, 2]);
    drop(store);
    assert_eq!(names(&blocks).unwrap().len(), 3);
    assert_eq!(found(&open(directory.path())).await, [0, 1, 2]);
}

#[tokio::test]
async fn abandoned_merge_restores_no_deleted_spans() {
    let directory = tempfile::tempdir().unwrap();
    let spans = open(directory.path());
    for number in 0..2 {
        spans.ingest(batch([number])).await.unwrap();
        spans.flush().await.unwrap();
    }
    let store = &spans.store;
    let places = store.paths.as_ref().unwrap();
    {
        let mut doomed = store.pending_deletions.lock();
        let inputs = store.view().blocks.clone();
        // The directory is renamed before it is durable; the sync, the undo and its retry fail.
        fail_syncs(&places.blocks, 1..4);
        assert!(store.merge(places, &inputs, &mut doomed).is_err());
        assert_eq!(store.view().blocks.len(), 2, "the inputs of the merge stay visible");
        store.change_view(|view| view.blocks.truncate(1));
        doomed.blocks.push(Arc::clone(&inputs[1].block));
        assert!(store.delete(&mut doomed).is_err());
        assert!(inputs[1].block.dir().exists(), "an input is kept while the abandoned merged block may exist");
        store.delete(&mut doomed).unwrap();
        assert!(!inputs[1].block.dir().exists());
    }
    assert_eq!(found(&spans).await, [0]);
    drop(spans);
    let spans = open(directory.path());
    assert_eq!(found(&spans).await, [0]);
    assert_eq!(names(&directory.path().join("blocks")).unwrap().len(), 1);
}

/// Fails syncs of the log and of its directory after three spans; some batches fail until one is stored.
async fn check_log(log: Range<usize>, folder: Range<usize>, torn: bool, fails: u64) {
    let context = format!("{log:?} {folder:?} {torn}");
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let pictures: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let (eye, from, to) = (Arc::clone(&pictures), directory.path().to_owned(), grave.path().to_owned());
    let probe = Probe::new(move |step| {
        // The heads freeze afterwards: nothing else changes the directory in the meantime.
        if step == "log begun" {
            let mut pictures = eye.lock();
            let picture = to.join(pictures.len().to_string());
            fs::create_dir_all(picture.join("log")).unwrap();
            for name in names(&from.join("log")).unwrap() {
                fs::copy(from.join("log").join(&name), picture.join("log").join(&name)).unwrap();
            }
            pictures.push(picture);
        }
    });
    let store = EmbeddedSpanStore::open(directory.path(), SpanStoreOptions { probe, ..options() }).unwrap();
    store.ingest(batch(0..3)).await.unwrap();
    let file = directory.path().join("log").join(wal::log_file_name(1));
    let whole = fs::metadata(&file).unwrap().len();
    fail_syncs(&file, log);
    fail_syncs(&directory.path().join("log"), folder);
    for number in 0..fails {
        assert!(store.ingest(batch([100 + number])).await.is_err(), "{context}: {number}");
        if torn && number == 0 {
            let length = fs::metadata(&file).unwrap().len();
            assert!(length > whole, "{context}");
            fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(length - 3).unwrap();
        }
    }
    store.ingest(batch([3])).await.unwrap();
    assert_eq!(found(&store).await, [0, 1, 2, 3], "{context}");
    let pictures = std::mem::take(&mut *pictures.lock());
    assert_eq!(pictures.len(), 1, "{context}");
    for picture in pictures {
        let store = open(&picture);
        assert_eq!(found(&store).await, [0, 1, 2], "{context}: as a crash would have left it");
    }
    store.flush().await.unwrap();
    store.ingest(batch([4])).await.unwrap();
    drop(store);
    assert_eq!(found(&open(directory.path())).await, [0, 1, 2, 3, 4], "{context}");
}

#[tokio::test]
async fn store_survives_a_failed_sync() {
    check_log(0..1, 0..0, false, 1).await;
    check_log(0..1, 0..0, true, 1).await;
    // At first, neither can the incomplete frame be truncated nor the next file be renamed.
    check_log(0..2, 0..0, true, 2).await;
    check_log(0..1, 0..1, true, 2).await;
    check_log(0..1, 0..2, true, 2).await;
}

#[tokio::test]
async fn store_survives_a_failed_rename() {
    for failing in [0..1, 0..2, 0..3] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        store.ingest(batch([0])).await.unwrap();
        fail_syncs(&directory.path().join("log"), failing.clone());
        // The head cannot be frozen.
        store.flush().await.unwrap();
        let third = store.ingest(batch([1])).await;
        assert_eq!(third.is_err(), failing.end > 2, "{failing:?}");
        store.ingest(batch([1])).await.unwrap();
        drop(store);
        assert_eq!(found(&open(directory.path())).await, [0, 1], "{failing:?}");
    }
}
