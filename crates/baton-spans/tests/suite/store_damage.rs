//! Damaged blocks are quarantined, and everything else is served.

use crate::store_sample::{batch, copy, found, open, small};
use baton_span_ports::SpanStore as _;
use baton_spans::{LogRetentionOptions, SpanStoreOptions, damaged_files, quarantine_damaged_blocks};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const BLOCK: &str = "telemetry-0000000001";

/// A store with two generations of blocks: numbers 1 to 4 and 6 to 9, none of them remembered.
async fn two_blocks(directory: &Path) {
    let options = SpanStoreOptions { merged_spans: 1, ..small() };
    let store = open(directory, &options);
    for numbers in [1..5, 6..10] {
        store.ingest(batch(numbers)).await.unwrap();
        store.flush().await.unwrap();
    }
    store.close().await;
}

fn block(directory: &Path) -> PathBuf {
    directory.join("blocks").join(BLOCK)
}

#[tokio::test]
async fn unreadable_block_is_quarantined() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    two_blocks(directory.path()).await;
    let later: BTreeSet<u64> = (6..10).collect();
    for file in ["manifest", "index", "raw"] {
        for harm in ["cut", "empty", "gone", "garbage"] {
            let grave = grave.path().join("grave");
            copy(directory.path(), &grave);
            let path = block(&grave).join(file);
            let bytes = fs::read(&path).unwrap();
            match harm {
                "cut" => fs::write(&path, &bytes[..bytes.len() / 2]).unwrap(),
                "empty" => fs::write(&path, b"").unwrap(),
                "gone" => fs::remove_file(&path).unwrap(),
                _ => fs::write(&path, b"garbage").unwrap(),
            }
            let left = fs::read(&path).ok();
            let store = open(&grave, &small());
            assert_eq!(found(&store, 12).await, later, "{file} {harm}");
            assert_eq!(store.quarantined_files(), [grave.join("damaged").join(BLOCK)], "{file} {harm}");
            assert_eq!(fs::read(grave.join("damaged").join(BLOCK).join(file)).ok(), left, "{file} {harm}");
            store.ingest(batch([11])).await.unwrap();
            store.close().await;
            let again = open(&grave, &small());
            assert!(again.quarantined_files().is_empty(), "{file} {harm}");
            assert_eq!(found(&again, 12).await.len(), 5, "{file} {harm}");
            again.close().await;
        }
    }
}

#[tokio::test]
async fn full_verification_finds_damage_that_opening_misses() {
    let directory = tempfile::tempdir().unwrap();
    two_blocks(directory.path()).await;
    assert_eq!(quarantine_damaged_blocks(directory.path()), Ok(Vec::new()));
    let path = block(directory.path()).join("raw");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&path, &bytes).unwrap();
    let store = open(directory.path(), &small());
    assert!(store.quarantined_files().is_empty());
    store.close().await;
    assert_eq!(quarantine_damaged_blocks(directory.path()), Ok(vec![directory.path().join("damaged").join(BLOCK)]));
    assert_eq!(damaged_files(directory.path()), [BLOCK]);
    assert_eq!(found(&open(directory.path(), &small()), 12).await, (6..10).collect());
}

#[tokio::test]
async fn damaged_outgoing_file_is_quarantined() {
    let directory = tempfile::tempdir().unwrap();
    two_blocks(directory.path()).await;
    let waiting = directory.path().join("outgoing");
    fs::create_dir_all(&waiting).unwrap();
    for (name, bytes) in [("0000000001.log", &b""[..]), ("0000000002.log", &[7; 100])] {
        fs::write(waiting.join(name), bytes).unwrap();
    }
    let log_retention = LogRetentionOptions { readers: vec!["far".to_owned()], bytes: 1 << 20 };
    let store = open(directory.path(), &SpanStoreOptions { log_retention, ..small() });
    assert_eq!(store.quarantined_files().len(), 2);
    let mut reader = store.log_reader("far").unwrap();
    store.ingest(batch([11])).await.unwrap();
    assert_eq!(reader.read(10, 1 << 20).unwrap().spans.len(), 1, "later spans are read");
}
