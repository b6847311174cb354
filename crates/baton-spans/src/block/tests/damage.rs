//! Damaged files are reported with their path; damage never causes a panic or wrong results.

use super::{block, sample};
use crate::{
    block::{SpanBlock, directory::RowColumns, manifest::BlockManifest, open},
    index::{RowSelection, ValueLocation, own},
    segment::Segment,
};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, SpanPredicate};
use baton_types::{Span, TraceId};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use roaring::RoaringBitmap;
use std::{fmt::Write as _, fs, ops::ControlFlow, path::Path};

/// Reads read_all from a block.
fn read_all(dir: &Path) -> Result<String, SpanStoreError> {
    let block = open(dir)?;
    let mut told = format!("{:?} {:?}", block.summary(), block.inputs());
    for ordinal in 0..block.traces() {
        let part = block.part(ordinal)?;
        write!(told, "{part:?} {:?}", block.ordinal(part.id)?).unwrap();
        write!(told, "{:?}", block.spans(ordinal)?).unwrap();
    }
    write!(told, "{:?} {:?}", block.ordinal(TraceId([77; 16]))?, block.names()?).unwrap();
    write!(told, "{:?}", block.window(TimeRange { start: 100, end: 500 })?).unwrap();
    for field in sample::fields() {
        write!(told, "{:?}", block.values(&field, None, 1000)?).unwrap();
        write!(told, "{:?}", block.matching_traces(&SpanPredicate::Exists(field), Aliases::NONE)?).unwrap();
    }
    write!(told, "{:?}", rows(&block)?).unwrap();
    for comparison in sample::comparisons().into_iter().step_by(13) {
        write!(told, "{:?}", block.matching_traces(&SpanPredicate::Holds(comparison), Aliases::NONE)?).unwrap();
    }
    Ok(told)
}

/// Reads the values of individual rows.
fn rows(block: &SpanBlock) -> Result<Vec<u64>, SpanStoreError> {
    let (mut told, rows) = (Vec::new(), 0..block.summary().spans as u32);
    let wanted = RowSelection::from_condition(rows.clone(), |_| true);
    block.table(&mut |table| {
        table.each_start(rows.clone(), 0..u64::MAX, &mut |_, starts| told.extend(starts))?;
        table.each_id_hash(&table_traces(block), &mut |trace, mark| told.extend([trace, mark].map(u64::from)))?;
        for (place, key) in
            [(ValueLocation::Own, own::DURATION), (ValueLocation::Span, "a"), (ValueLocation::Resource, "service.name")]
        {
            told.extend(table.not_single_valued(place, key)?.iter().map(u64::from));
            table.each_value(place, key, &wanted, &mut |value, rows| {
                told.push(value.ordered());
                told.extend(rows.iter().copied().map(u64::from));
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    })?;
    Ok(told)
}

/// Reads the parents of all rows, as numbers that siblings share.
fn families(dir: &Path) -> Result<Vec<Option<usize>>, SpanStoreError> {
    let (block, mut told) = (open(dir)?, Vec::new());
    block.table(&mut |table| {
        let parents = table.parents(0..table.traces())?;
        told = (0..table.rows()).map(|row| parents.family(row)).collect();
        Ok(())
    })?;
    Ok(told)
}

fn table_traces(block: &SpanBlock) -> RoaringBitmap {
    (0..block.traces()).collect()
}

fn some_spans() -> Vec<Span> {
    let mut runner = TestRunner::deterministic();
    loop {
        let spans = sample::spans(120).new_tree(&mut runner).unwrap().current();
        if spans.len() > 60 {
            return spans;
        }
    }
}

#[derive(Clone, Debug)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Zeros(prop::sample::Index),
    Gone,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        8 => (any::<prop::sample::Index>(), 1..=255u8).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        2 => any::<prop::sample::Index>().prop_map(Damage::Cut),
        2 => any::<prop::sample::Index>().prop_map(Damage::Zeros),
        1 => Just(Damage::Gone),
    ]
}

#[test]
fn manifest_of_another_version_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let newer = block(dir.path(), "newer", &some_spans());
    let older = super::as_of_version_one(&block(dir.path(), "older", &some_spans()));
    for block in [newer, older] {
        let path = block.dir().join("manifest");
        let mut bytes = fs::read(&path).unwrap();
        bytes[8] ^= 3;
        fs::write(&path, bytes).unwrap();
        assert!(matches!(read_all(block.dir()), Err(SpanStoreError::Corrupt(_))), "{}", path.display());
    }
}

#[test]
fn damaged_file_is_named_in_the_error() {
    let dir = tempfile::tempdir().unwrap();
    let spans = some_spans();
    drop(block(dir.path(), "whole", &spans));
    let whole = dir.path().join("whole");
    let read = || Ok((read_all(&whole)?, families(&whole)?));
    let expected = read().unwrap();
    let mut runner = TestRunner::new(ProptestConfig { cases: 300, ..ProptestConfig::default() });
    let files = prop::sample::select(vec!["manifest", "index", "raw"]);
    runner
        .run(&(files, damage()), |(file, damage)| {
            let path = whole.join(file);
            let original = fs::read(&path).unwrap();
            let mut bytes = original.clone();
            match &damage {
                Damage::Flip(at, bits) => bytes[at.index(original.len())] ^= bits,
                Damage::Cut(at) => bytes.truncate(at.index(original.len())),
                Damage::Zeros(at) => bytes[at.index(original.len())..].fill(0),
                Damage::Gone => bytes.clear(),
            }
            if matches!(damage, Damage::Gone) { fs::remove_file(&path) } else { fs::write(&path, &bytes) }.unwrap();
            let told = read();
            fs::write(&path, &original).unwrap();
            match told {
                Ok(told) => prop_assert_eq!(told, expected.clone()),
                Err(SpanStoreError::Corrupt(what)) => {
                    prop_assert!(what.contains(path.to_str().unwrap()), "{}", what);
                }
                Err(other) => prop_assert!(false, "{:?}", other),
            }
            Ok(())
        })
        .unwrap();
}

/// Blocks without a trace filter, as in the first format version, and blocks with a damaged one return all results.
#[test]
fn block_without_trace_filter_finds_all_traces() {
    let dir = tempfile::tempdir().unwrap();
    let with = block(dir.path(), "with", &some_spans());
    let expected = read_all(with.dir()).unwrap();
    let mut manifest = BlockManifest::read(with.dir()).unwrap();
    let known = RowColumns::read(&with.index, manifest.rows_known.unwrap(), manifest.rows, usize::MAX).unwrap();
    let path = with.dir().join("index");
    let mut bytes = fs::read(&path).unwrap();
    bytes[known.bloom_filter.unwrap().offset as usize] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(read_all(with.dir()).unwrap(), expected);
    let before = RowColumns { bloom_filter: None, ..known }.bytes().unwrap();
    let at = manifest.rows_known.as_mut().unwrap();
    (at.len, at.crc) = (before.len() as u32, crc32fast::hash(&before));
    fs::write(with.dir().join("manifest"), manifest.bytes().unwrap()).unwrap();
    assert_eq!(read_all(with.dir()).unwrap(), expected);
}
