//! Copies of the directory at every step that changes it, as a crash would leave it.

use crate::store_sample::{batch, check_all, copy, found, names, open, small, span};
use baton_span_ports::{SpanBatch, SpanStore};
use baton_spans::{Probe, SpanStoreOptions, TelemetryRetention};
use parking_lot::Mutex;
use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

/// The last acknowledged number, and a copy of the directory for each step.
#[derive(Default)]
struct CrashRecorder {
    acknowledged: Mutex<u64>,
    copies: Mutex<Vec<(PathBuf, u64, &'static str)>>,
}

#[tokio::test]
async fn crash_at_any_step_loses_and_duplicates_no_spans() {
    let (directory, copies_root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let recorder = Arc::new(CrashRecorder::default());
    let (probe_recorder, from, to) =
        (Arc::clone(&recorder), directory.path().to_owned(), copies_root.path().to_owned());
    let probe = Probe::new(move |step| {
        let mut copies = probe_recorder.copies.lock();
        let acknowledged = *probe_recorder.acknowledged.lock();
        // The log is synced often, so only some of these steps are copied.
        if step == "log synced" && acknowledged % 50 != 0 {
            return;
        }
        let copied_to = to.join(copies.len().to_string());
        copy(&from, &copied_to);
        copies.push((copied_to, acknowledged, step));
    });
    let options = SpanStoreOptions { probe, merged_spans: 100, ..small() };
    let store = open(directory.path(), &options);
    let all = 240_u64;
    for part in 0..all / 10 {
        let numbers = 10 * part..10 * part + 10;
        store.ingest(SpanBatch { mark: Some(("journal", numbers.end)), ..batch(numbers.clone()) }).await.unwrap();
        *recorder.acknowledged.lock() = numbers.end;
    }
    store.flush().await.unwrap();
    store.close().await;
    drop(store);

    let copies = std::mem::take(&mut *recorder.copies.lock());
    let steps: BTreeSet<_> = copies.iter().map(|(_, _, step)| *step).collect();
    let expected = ["block deleted", "block written", "blocks merged", "log begun", "log deleted", "log synced"];
    assert_eq!(steps, expected.into(), "every step occurs");
    for (copied_to, acknowledged, step) in copies {
        let context = format!("{} after {acknowledged}: {step}", copied_to.display());
        let options = SpanStoreOptions { merged_spans: 100, ..small() };
        let store = open(&copied_to, &options);
        let found = found(&store, all).await;
        let kept = found.len() as u64;
        assert!(kept >= acknowledged, "{context}: {kept}");
        assert_eq!(found, (0..kept).collect(), "{context}");
        assert_eq!(store.mark("journal"), (kept > 0).then_some(kept), "{context}");
        let stats = store.stats().await.unwrap();
        assert_eq!(stats.spans, kept, "{context}: merged blocks are not counted together with their inputs");
        store.ingest(batch([all])).await.unwrap();
        store.flush().await.unwrap();
        store.close().await;
        drop(store);
        let left = names(&copied_to, &copied_to);
        assert!(!left.iter().any(|name| name.contains("unfinished") || name.ends_with(".new")), "{left:?}");
        check_all(&open(&copied_to, &options), &found.into_iter().chain([all]).collect(), &context).await;
        fs::remove_dir_all(&copied_to).unwrap();
    }
}

#[tokio::test]
async fn recovery_removes_only_its_own_leftovers() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &small());
    store.ingest(batch(0..100)).await.unwrap();
    store.flush().await.unwrap();
    store.close().await;
    drop(store);
    let before = names(directory.path(), directory.path());
    let block = directory.path().join("blocks").join(".unfinished-telemetry-0000000009");
    fs::create_dir(&block).unwrap();
    fs::write(block.join("half"), b"half").unwrap();
    fs::write(directory.path().join("log").join("0000000009.new"), b"half").unwrap();
    fs::write(directory.path().join("log").join("README"), b"mine").unwrap();
    let store = open(directory.path(), &small());
    let after = names(directory.path(), directory.path());
    assert_eq!(after, before.into_iter().chain(["log/README".to_owned()]).collect());
    check_all(&store, &(0..100).collect(), "whole").await;
}

#[tokio::test]
async fn retention_deletes_telemetry_but_not_remembered_spans() {
    let directory = tempfile::tempdir().unwrap();
    let options = SpanStoreOptions { merged_spans: 1, now: || 5_000_000_000, ..small() };
    let store = open(directory.path(), &options);
    for part in 0..10_u64 {
        store.ingest(batch(100 * part..100 * part + 100)).await.unwrap();
        store.flush().await.unwrap();
    }
    let all = found(&store, 1000).await;
    assert_eq!(all, (0..1000).collect());
    let remembered = |numbers: std::ops::Range<u64>| numbers.filter(|number| number % 5 == 0);
    // The test clock makes the first half expired.
    let age = (options.now)() - span(500).start;
    let by_age = TelemetryRetention { max_age: Some(std::time::Duration::from_nanos(age)), max_bytes: None };
    let went = store.retain(by_age).await.unwrap();
    let kept: BTreeSet<u64> = found(&store, 1000).await;
    assert!(kept.is_superset(&remembered(0..500).chain(500..1000).collect()), "recent and remembered spans stay");
    assert!(went >= 4 && !kept.contains(&1), "expired spans are deleted: {went}");
    assert_eq!(store.retain(TelemetryRetention { max_age: None, max_bytes: Some(0) }).await.unwrap(), 10 - went);
    check_all(&store, &remembered(0..1000).collect(), "memory").await;
    store.close().await;
    drop(store);
    check_all(&open(directory.path(), &options), &remembered(0..1000).collect(), "memory, again").await;
}

#[tokio::test]
async fn mark_outlives_its_spans() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &small());
    store.ingest(SpanBatch { mark: Some(("journal", 3)), ..batch([1, 2, 3]) }).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(store.retain(TelemetryRetention { max_age: None, max_bytes: Some(0) }).await, Ok(1));
    check_all(&store, &BTreeSet::new(), "dropped").await;
    store.close().await;
    drop(store);
    assert_eq!(open(directory.path(), &small()).mark("journal"), Some(3));
}
