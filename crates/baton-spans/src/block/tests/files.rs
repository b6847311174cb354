//! Files on disk before, during and after the lifetime of a block.

use super::{block, head, merged, sample};
use crate::{
    block::{BlockInputs, UNFINISHED_PREFIX, merge, open, write},
    disk::faults::fail_syncs,
    segment::Segment,
};
use baton_types::Span;
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use std::{fs, path::Path, sync::Arc};

fn some_spans() -> Vec<Span> {
    sample::spans(60)
        .prop_filter("some", |spans| spans.len() > 5)
        .new_tree(&mut TestRunner::deterministic())
        .unwrap()
        .current()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn block_is_complete_or_absent() {
    let dir = tempfile::tempdir().unwrap();
    let spans = some_spans();
    let left = dir.path().join(format!("{UNFINISHED_PREFIX}one"));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("index"), "half of it").unwrap();
    let one = block(dir.path(), "one", &spans);
    assert_eq!(names(dir.path()), ["one"]);
    assert_eq!(names(&dir.path().join("one")), ["index", "manifest", "raw"]);
    one.delete().unwrap();
    assert!(names(dir.path()).is_empty());
    for ordinal in 0..one.traces() {
        assert!(!one.spans(ordinal).unwrap().0.is_empty(), "an open block stays readable after its deletion");
    }
    assert!(open(&dir.path().join("one")).is_err());
}

#[test]
fn leftovers_of_a_failed_write_are_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let spans = some_spans();
    let left = dir.path().join("one");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("index"), "half of it").unwrap();
    let one = Arc::new(block(dir.path(), "one", &spans));
    let both = [Arc::clone(&one), Arc::new(block(dir.path(), "two", &spans))];
    let spans = |merged: &crate::block::SpanBlock| merged.summary().spans;
    assert_eq!(spans(&merge(dir.path(), &both).unwrap()), spans(&one));
    assert_eq!(spans(&merge(dir.path(), &both).unwrap()), spans(&one), "again");
    // The directory is renamed before it is durable: the sync fails, and so does undoing the rename.
    for failing in [1..2, 1..3] {
        fail_syncs(dir.path(), failing);
        assert!(write(&dir.path().join("three"), &head(&some_spans()), BlockInputs::default()).is_err());
        assert!(!dir.path().join("three").exists());
    }
    assert_eq!(spans(&block(dir.path(), "three", &some_spans())), spans(&one));
    assert_eq!(names(dir.path()).len(), 4, "no leftovers remain");
}

#[test]
fn merged_block_lists_its_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let spans = some_spans();
    let covers = |log, mark| BlockInputs {
        log: vec![log],
        blocks: vec!["gone".to_owned()],
        marks: [("journal".to_owned(), mark)].into(),
    };
    let one = Arc::new(write(&dir.path().join("one"), &head(&spans), covers(3, 40)).unwrap());
    let two = Arc::new(write(&dir.path().join("two"), &head(&spans), covers(2, 50)).unwrap());
    let both = merge(dir.path(), &[Arc::clone(&one), two]).unwrap();
    assert_eq!(both.summary().spans, one.summary().spans, "duplicate spans are stored once");
    let expected = BlockInputs {
        log: vec![2, 3],
        blocks: vec!["one".to_owned(), "two".to_owned()],
        marks: [("journal".to_owned(), 50)].into(),
    };
    assert_eq!(open(&dir.path().join(both.name())).unwrap().inputs(), &expected);
}

#[test]
fn block_can_be_empty() {
    let dir = tempfile::tempdir().unwrap();
    let empty = merged(dir.path(), &[], 2);
    assert_eq!((empty.summary().spans, empty.traces()), (0, 0));
    assert_eq!(empty.window(baton_span_ports::TimeRange::ALL).unwrap(), 0..0);
    assert!(merge(dir.path(), &[]).is_err());
}
