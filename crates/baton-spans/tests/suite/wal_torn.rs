//! Recovery of a log truncated at any byte, and of a damaged log.

use crate::store_sample::{batch, copy, found, open, small};
use baton_span_ports::{SpanBatch, SpanStore, SpanStoreError};
use baton_spans::EmbeddedSpanStore;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn log(directory: &Path) -> PathBuf {
    directory.join("log").join("0000000001.log")
}

/// Creates a store with three batches in its log; returns the end offset of each.
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
async fn truncated_log_keeps_all_complete_batches() {
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
async fn damaged_log_is_quarantined_and_intact_batches_are_kept() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ends = three_batches(directory.path()).await;
    let whole = fs::read(log(directory.path())).unwrap();
    // The frame marker is in the header.
    let marker = 12..20;
    // Every byte of the header, and some of every frame.
    for place in (0..24).chain((24..whole.len()).step_by(11)) {
        let grave = grave.path().join("grave");
        copy(directory.path(), &grave);
        let mut damaged = whole.clone();
        damaged[place] ^= 0x20;
        fs::write(log(&grave), &damaged).unwrap();
        let store = open(&grave, &small());
        if place >= ends[2] {
            assert_eq!(found(&store, 8).await, BTreeSet::from([1, 2]), "byte {place}");
            assert!(store.quarantined_files().is_empty(), "a torn end is no damage: a crash leaves one");
            continue;
        }
        let hit = ends.iter().position(|end| place < *end).unwrap_or(0) as u64;
        let left = (1..4).filter(|number| !marker.contains(&place) && *number != hit);
        assert_eq!(found(&store, 8).await, left.clone().collect::<BTreeSet<_>>(), "byte {place}");
        assert_eq!(store.quarantined_files(), [grave.join("damaged").join("0000000001.log")], "byte {place}");
        assert_eq!(fs::read(&store.quarantined_files()[0]).unwrap(), damaged, "byte {place}");
        store.ingest(batch([7])).await.unwrap();
        drop(store);
        // Recovered batches are on disk, and the store is no longer damaged.
        let again = open(&grave, &small());
        assert!(again.quarantined_files().is_empty(), "byte {place}");
        assert_eq!(found(&again, 8).await, left.chain([7]).collect::<BTreeSet<_>>(), "byte {place}, and went on");
    }
}

#[tokio::test]
async fn log_of_a_newer_version_is_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    three_batches(directory.path()).await;
    let mut bytes = fs::read(log(directory.path())).unwrap();
    bytes[8] = 9;
    let check = crc32(&bytes[..20]);
    bytes[20..24].copy_from_slice(&check.to_le_bytes());
    fs::write(log(directory.path()), &bytes).unwrap();
    match EmbeddedSpanStore::open(directory.path(), small()) {
        Err(SpanStoreError::Unavailable(message)) => assert!(message.contains("newer Baton"), "{message}"),
        _ => panic!("a newer format was accepted"),
    }
    assert_eq!(fs::read(log(directory.path())).unwrap(), bytes);
}

/// CRC-32 of the log format, computed bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0_u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[tokio::test]
async fn missing_log_file_does_not_block_the_others() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    three_batches(directory.path()).await;
    for name in ["0000000002.log", "0000000003.log"] {
        fs::copy(log(directory.path()), log(directory.path()).with_file_name(name)).unwrap();
    }
    let copied = grave.path().join("grave");
    copy(directory.path(), &copied);
    assert_eq!(found(&open(&copied, &small()), 8).await, BTreeSet::from([1, 2, 3]));
    fs::remove_file(log(directory.path()).with_file_name("0000000002.log")).unwrap();
    assert_eq!(found(&open(directory.path(), &small()), 8).await, BTreeSet::from([1, 2, 3]));
}
