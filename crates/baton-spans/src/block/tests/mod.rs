//! Heads, blocks and merged blocks return the same results as a naive evaluation of their spans.

mod damage;
mod equivalence;
mod files;
mod large;
mod naive;
mod sample;

use super::{
    BlockInputs, SpanBlock,
    directory::RowColumns,
    manifest::{self, BlockManifest},
    merge, open, write,
};
use crate::head::SpanHead;
use baton_types::{Span, SpanClass};
use std::{path::Path, sync::Arc};

/// The block in the first version of the format, without row columns.
pub(crate) fn as_of_version_one(block: &SpanBlock) -> SpanBlock {
    let mut manifest = BlockManifest::read(block.dir()).unwrap();
    assert!(manifest.rows_known.take().is_some());
    std::fs::write(block.dir().join(manifest::FILE_NAME), manifest.bytes().unwrap()).unwrap();
    open(block.dir()).unwrap()
}

/// The block as written before blocks had a column of parents.
pub(crate) fn as_without_parents(block: &SpanBlock) -> SpanBlock {
    let mut manifest = BlockManifest::read(block.dir()).unwrap();
    let at = manifest.rows_known.as_mut().unwrap();
    let known = RowColumns::read(&block.index, *at, block.manifest.rows, usize::MAX).unwrap();
    assert!(known.parents.is_some());
    // The column is appended last, so the older form is a prefix.
    let before = RowColumns { parents: None, ..known }.bytes().unwrap();
    (at.len, at.crc) = (before.len() as u32, crc32fast::hash(&before));
    std::fs::write(block.dir().join(manifest::FILE_NAME), manifest.bytes().unwrap()).unwrap();
    open(block.dir()).unwrap()
}

fn head(spans: &[Span]) -> SpanHead {
    let head = SpanHead::new(SpanClass::Telemetry);
    head.push(spans).unwrap();
    head
}

fn block(dir: &Path, name: &str, spans: &[Span]) -> SpanBlock {
    write(&dir.join(name), &head(spans), BlockInputs::default()).unwrap()
}

/// The spans distributed over several blocks that are then merged.
fn merged(dir: &Path, spans: &[Span], blocks: usize) -> SpanBlock {
    let blocks: Vec<Arc<SpanBlock>> = (0..blocks)
        .map(|number| {
            let dealt: Vec<Span> = spans.iter().skip(number).step_by(blocks).cloned().collect();
            Arc::new(block(dir, &format!("dealt-{number}"), &dealt))
        })
        .collect();
    merge(dir, &blocks).unwrap()
}
