//! A log that a crash cut anywhere, and one that something else damaged.

use crate::store_sample::{batch, copy, found, open, small};
use baton_ports::{SpanBatch, SpanStore, SpanStoreError};
use baton_spans::EmbeddedSpans;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn log(directory: &Path) -> PathBuf {
    directory.join("log").join("0000000001.log")
}

/// A store with three batches in its log, and where each of them ends.
async fn three_batches(directory: &Path) -> Vec<usize> {
    let store = open(directory, &small());
    let mut ends = vec![fs::read(log(directory)).unwrap().len()];
    for number in 1..4 {
        let mark = Some(("journal", number));
        store.ingest(SpanBatch { mark, ..batch([number]) }).await.unwrap();
        ends.push(fs::read(log(directory)).unwrap().len());
    }
    drop(store);
    ends
}

#[tokio::test]
async fn a_log_that_is_cut_anywhere_has_all_that_came_before() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ends = three_batches(directory.path()).await;
    let whole = fs::read(log(directory.path())).unwrap();
    for cut in ends[0]..=whole.len() {
        for tail in [&[][..], &[0; 40], &[0xAB; 40]] {
            let grave = grave.path().join("grave");
            copy(directory.path(), &grave);
            fs::write(log(&grave), [&whole[..cut], tail].concat()).unwrap();
            let complete = ends.iter().filter(|end| **end <= cut).count() as u64 - 1;
            let store = open(&grave, &small());
            assert_eq!(found(&store, 8).await, (1..=complete).collect::<BTreeSet<_>>(), "cut at {cut}");
            assert_eq!(store.mark("journal"), (complete > 0).then_some(complete));
            store.ingest(batch([7])).await.unwrap();
            drop(store);
            let again = found(&open(&grave, &small()), 8).await;
            assert_eq!(again, (1..=complete).chain([7]).collect::<BTreeSet<_>>(), "cut at {cut}, and went on");
            if cut % 16 != 0 {
                break;
            }
        }
    }
}

#[tokio::test]
async fn damage_before_what_is_whole_is_said_and_nothing_is_changed() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ends = three_batches(directory.path()).await;
    let whole = fs::read(log(directory.path())).unwrap();
    for place in 0..whole.len() {
        let grave = grave.path().join("grave");
        copy(directory.path(), &grave);
        let mut damaged = whole.clone();
        damaged[place] ^= 0x20;
        fs::write(log(&grave), &damaged).unwrap();
        let opened = EmbeddedSpans::open(&grave, small());
        if place >= ends[2] {
            let store = opened.unwrap();
            assert_eq!(found(&store, 8).await, BTreeSet::from([1, 2]), "byte {place}");
            continue;
        }
        match opened {
            Err(SpanStoreError::Corrupt(message)) => assert!(message.contains("0000000001.log"), "{message}"),
            Err(other) => panic!("byte {place}: {other}"),
            Ok(_) => panic!("byte {place}: nobody noticed"),
        }
        assert_eq!(fs::read(log(&grave)).unwrap(), damaged);
    }
}

#[tokio::test]
async fn a_missing_file_of_the_log_is_said() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    three_batches(directory.path()).await;
    for name in ["0000000002.log", "0000000003.log"] {
        fs::copy(log(directory.path()), log(directory.path()).with_file_name(name)).unwrap();
    }
    let copied = grave.path().join("grave");
    copy(directory.path(), &copied);
    assert_eq!(found(&open(&copied, &small()), 8).await, BTreeSet::from([1, 2, 3]));
    fs::remove_file(log(directory.path()).with_file_name("0000000002.log")).unwrap();
    match EmbeddedSpans::open(directory.path(), small()) {
        Err(SpanStoreError::Corrupt(message)) => assert!(message.contains("0000000002.log"), "{message}"),
        _ => panic!("nobody noticed"),
    }
}
