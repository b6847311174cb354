//! A file is complete or absent.

use crate::sample;
use baton_parquet::SpanFile;
use baton_types::{AttributeKey, Span, SpanValue};
use std::{fs, path::Path};

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn older_file_stays_until_the_new_one_is_complete() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("spans.parquet");
    fs::write(&path, "the older one").expect("written");
    let mut given_up = SpanFile::create(&path).expect("a file");
    given_up.add(&sample::full()).expect("room");
    assert_eq!(names(directory.path()).len(), 2, "the temporary file and the older one");
    drop(given_up);
    assert_eq!(names(directory.path()), ["spans.parquet"]);
    assert_eq!(fs::read(&path).expect("it is there"), b"the older one");

    let written = SpanFile::create(&path).expect("a file").finish().expect("no spans are a file, too");
    assert_eq!(names(directory.path()), ["spans.parquet"]);
    let file = fs::read(&path).expect("it is there");
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    assert_eq!((written.spans, written.row_groups, written.bytes), (0, 0, file.len() as u64));
}

#[test]
fn missing_directory_is_an_error() {
    let directory = tempfile::tempdir().expect("a directory");
    assert!(SpanFile::create(&directory.path().join("missing/spans.parquet")).is_err());
}

/// Row groups with large rows are written earlier than those with small rows.
#[test]
fn row_groups_are_bounded_by_rows_and_by_bytes() {
    let directory = tempfile::tempdir().expect("a directory");
    let groups = |spans: usize, text: usize| {
        let mut file = SpanFile::create(&directory.path().join("spans.parquet")).expect("a file");
        let said = vec![(AttributeKey::Borrowed("said"), SpanValue::from("x".repeat(text)))];
        let span = Span { attributes: said, ..sample::span(1) };
        (0..spans).for_each(|_| file.add(&span).expect("room"));
        file.finish().expect("a whole file").row_groups
    };
    assert_eq!(groups(122_881, 1), 2, "one row more than fits into a group");
    assert_eq!(groups(2_000, 200_000), 3, "400 MB in groups of 128 MiB");
}
