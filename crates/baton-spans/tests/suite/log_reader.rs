//! Reading the log for export: complete, in order, from the saved position, within the size limit.

use crate::store_sample::{batch, names, open, small, span};
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_spans::{EmbeddedSpanStore, LogRetentionOptions, SpanLogReader, SpanStoreOptions};
use baton_types::{Span, SpanClass, SpanValue};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use std::{fs, path::Path, sync::Arc};

const READER: &str = "collector";

fn with_outgoing_bytes(bytes: u64) -> SpanStoreOptions {
    SpanStoreOptions { log_retention: LogRetentionOptions { readers: vec![READER.to_owned()], bytes }, ..small() }
}

fn number(span: &Span) -> u64 {
    u64::try_from(span.attribute("number").and_then(SpanValue::as_int).unwrap()).unwrap()
}

/// The numbers in the order in which a batch of them is logged.
fn logged(numbers: &(impl Iterator<Item = u64> + Clone)) -> Vec<u64> {
    let class = |wanted| numbers.clone().filter(move |number| span(*number).class() == wanted);
    class(SpanClass::Telemetry).chain(class(SpanClass::Memory)).collect()
}

fn everything(reader: &mut SpanLogReader) -> Vec<u64> {
    let mut read = Vec::new();
    loop {
        let parcel = reader.read(7, usize::MAX).unwrap();
        if parcel.spans.is_empty() {
            return read;
        }
        read.extend(parcel.spans.iter().map(number));
    }
}

fn retained_files(directory: &Path) -> Vec<String> {
    names(directory, &directory.join("outgoing")).into_iter().filter(|name| name.ends_with(".log")).collect()
}

#[tokio::test]
async fn reader_resumes_at_the_saved_position_after_restart() {
    for seed in 0..12 {
        let mut random = StdRng::seed_from_u64(seed);
        let directory = tempfile::tempdir().unwrap();
        let options = with_outgoing_bytes(1 << 30);
        let (mut expected, mut settled, mut next): (Vec<u64>, usize, u64) = (Vec::new(), 0, 0);
        for life in 0..6 {
            let store = open(directory.path(), &options);
            let mut reader = store.log_reader(READER).unwrap();
            let mut read = settled;
            for _ in 0..random.random_range(1..40) {
                match random.random_range(0..10) {
                    0..5 => {
                        let numbers = next..next + random.random_range(1..30);
                        next = numbers.end;
                        store.ingest(batch(numbers.clone())).await.unwrap();
                        expected.extend(logged(&numbers));
                    }
                    5 => store.flush().await.unwrap(),
                    6 => store.ingest(SpanBatch { spans: Vec::new(), mark: Some(("m", next)) }).await.unwrap(),
                    _ => {
                        let bytes = if random.random_bool(0.2) { 1 } else { random.random_range(1..20_000) };
                        let parcel = reader.read(random.random_range(1..50), bytes).unwrap();
                        let found: Vec<u64> = parcel.spans.iter().map(number).collect();
                        let end = read + found.len();
                        assert_eq!(found, expected[read..end], "seed {seed}, life {life}");
                        assert!(!found.is_empty() || read == expected.len(), "seed {seed}: some were not found");
                        read = end;
                        if random.random_bool(0.6) {
                            reader.save_position(parcel.end).unwrap();
                            settled = read;
                        }
                    }
                }
            }
            if random.random_bool(0.5) {
                store.close().await;
            }
            drop(reader);
        }
        let store = open(directory.path(), &options);
        let mut reader = store.log_reader(READER).unwrap();
        assert_eq!(everything(&mut reader), expected[settled..], "seed {seed}");
        store.flush().await.unwrap();
        let last = reader.read(1, 1).unwrap();
        reader.save_position(last.end).unwrap();
        assert_eq!(
            retained_files(directory.path()),
            Vec::<String>::new(),
            "seed {seed}: files that were read are not retained"
        );
        assert_eq!((reader.lost(), reader.pending_bytes(last.end)), (0, 0), "seed {seed}");
    }
}

async fn fill(store: &Arc<EmbeddedSpanStore>, files: u64) {
    for file in 0..files {
        store.ingest(batch(file * 10..file * 10 + 10)).await.unwrap();
        store.flush().await.unwrap();
    }
}

#[tokio::test]
async fn oldest_files_beyond_the_limit_are_dropped_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &with_outgoing_bytes(9_000));
    let mut reader = store.log_reader(READER).unwrap();
    store.ingest(batch([1000])).await.unwrap();
    let first = reader.read(1, usize::MAX).unwrap();
    reader.save_position(first.end).unwrap();
    fill(&store, 12).await;
    let bytes: u64 = retained_files(directory.path())
        .iter()
        .map(|name| {
            fs::metadata(directory.path().join("outgoing").join(name.rsplit('/').next().unwrap())).unwrap().len()
        })
        .sum();
    assert!((3_000..=9_000).contains(&bytes), "{bytes}");
    let lost = reader.lost();
    let read = everything(&mut reader);
    assert_eq!((lost + read.len() as u64, read.last()), (120, Some(&115)), "{read:?}");
    assert!(lost >= 20 && lost.is_multiple_of(10), "{lost}");
}

#[tokio::test]
async fn damaged_batches_are_counted_and_later_ones_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &with_outgoing_bytes(1 << 20));
    let log = directory.path().join("log");
    let mut ends = Vec::new();
    let path = || fs::read_dir(&log).unwrap().next().unwrap().unwrap().path();
    for first in [0, 3, 6, 9, 12] {
        store.ingest(batch(first..first + 3)).await.unwrap();
        ends.push(fs::metadata(path()).unwrap().len());
    }
    let mut bytes = fs::read(path()).unwrap();
    // The payload of the second batch and the header of the fourth.
    for at in [ends[0] + 40, ends[2] + 2] {
        bytes[usize::try_from(at).unwrap()] ^= 1;
    }
    fs::write(path(), bytes).unwrap();
    let mut reader = store.log_reader(READER).unwrap();
    let whole: Vec<u64> = [0..3, 6..9, 12..15].iter().flat_map(logged).collect();
    assert_eq!((everything(&mut reader), reader.lost()), (whole, 2));
    store.ingest(batch([20])).await.unwrap();
    assert_eq!((everything(&mut reader), reader.lost()), (vec![20], 2));
}

#[tokio::test]
async fn zero_limit_retains_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &with_outgoing_bytes(0));
    let mut reader = store.log_reader(READER).unwrap();
    fill(&store, 3).await;
    store.ingest(batch([31])).await.unwrap();
    assert_eq!(retained_files(directory.path()), Vec::<String>::new());
    assert_eq!((everything(&mut reader), reader.lost()), (vec![31], 0));
    assert!(store.log_reader("somebody").is_none());
}

#[tokio::test]
async fn absent_reader_misses_no_spans() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &with_outgoing_bytes(1 << 20));
    store.ingest(batch([1, 2])).await.unwrap();
    let mut reader = store.log_reader(READER).unwrap();
    let parcel = reader.read(1, usize::MAX).unwrap();
    reader.save_position(parcel.end).unwrap();
    store.close().await;
    let without = open(directory.path(), &small());
    without.ingest(batch([3])).await.unwrap();
    without.flush().await.unwrap();
    without.close().await;
    let store = open(directory.path(), &with_outgoing_bytes(1 << 20));
    assert_eq!(everything(&mut store.log_reader(READER).unwrap()), [2, 3]);
}

#[tokio::test]
async fn recreated_log_is_read_from_its_beginning() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &with_outgoing_bytes(1 << 20));
    fill(&store, 3).await;
    let mut reader = store.log_reader(READER).unwrap();
    let parcel = reader.read(1000, usize::MAX).unwrap();
    reader.save_position(parcel.end).unwrap();
    store.close().await;
    fs::remove_dir_all(directory.path().join("log")).unwrap();
    fs::remove_dir_all(directory.path().join("blocks")).unwrap();
    let store = open(directory.path(), &with_outgoing_bytes(1 << 20));
    store.ingest(batch([7])).await.unwrap();
    let mut reader = store.log_reader(READER).unwrap();
    reader.wait_for_spans().await;
    assert_eq!(everything(&mut reader), [7]);
    let mut waiting = Box::pin(reader.wait_for_spans());
    assert!(is_waiting(&mut waiting).await, "no more spans are available");
    store.ingest(batch([8])).await.unwrap();
    waiting.await;
    assert_eq!(everything(&mut reader), [8]);
}

/// Whether the future is still pending after other tasks were polled.
async fn is_waiting(waiting: &mut (impl Future<Output = ()> + Unpin)) -> bool {
    tokio::select! {
        biased;
        () = waiting => false,
        () = tokio::task::yield_now() => true,
    }
}
