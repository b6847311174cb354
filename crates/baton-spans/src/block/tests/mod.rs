//! Heads, blocks and merged blocks answer alike, and as spans would that are looked at one by one.

mod agree;
mod damage;
mod keep;
mod large;
mod naive;
mod sample;

use super::{
    BlockInputs, SpanBlock,
    manifest::{self, BlockManifest},
    merge, open, write,
};
use crate::head::SpanHead;
use baton_types::{Span, SpanClass};
use std::{path::Path, sync::Arc};

/// The block as the first version of the format has it, which does not know its rows.
pub(crate) fn as_of_version_one(block: &SpanBlock) -> SpanBlock {
    let mut manifest = BlockManifest::read(block.dir()).unwrap();
    assert!(manifest.rows_known.take().is_some());
    std::fs::write(block.dir().join(manifest::FILE_NAME), manifest.bytes().unwrap()).unwrap();
    open(block.dir()).unwrap()
}

/// The spans as a head.
fn head(spans: &[Span]) -> SpanHead {
    let head = SpanHead::new(SpanClass::Telemetry);
    head.push(spans).unwrap();
    head
}

/// The spans as a block.
fn block(dir: &Path, name: &str, spans: &[Span]) -> SpanBlock {
    write(&dir.join(name), &head(spans), BlockInputs::default()).unwrap()
}

/// The spans dealt to several blocks that are then merged.
fn merged(dir: &Path, spans: &[Span], blocks: usize) -> SpanBlock {
    let blocks: Vec<Arc<SpanBlock>> = (0..blocks)
        .map(|number| {
            let dealt: Vec<Span> = spans.iter().skip(number).step_by(blocks).cloned().collect();
            Arc::new(block(dir, &format!("dealt-{number}"), &dealt))
        })
        .collect();
    merge(dir, &blocks).unwrap()
}
