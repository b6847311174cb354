//! Heads, blocks and merged blocks answer alike, and as spans would that are looked at one by one.

mod agree;
mod damage;
mod keep;
mod large;
mod naive;
mod sample;

use super::{
    Block, Covers,
    manifest::{self, Manifest},
    merge, open, write,
};
use crate::head::Head;
use baton_types::{Span, SpanClass};
use std::{path::Path, sync::Arc};

/// The block as the first version of the format has it, which does not know its rows.
pub(crate) fn as_of_version_one(block: &Block) -> Block {
    let mut manifest = Manifest::read(block.dir()).unwrap();
    assert!(manifest.rows_known.take().is_some());
    std::fs::write(block.dir().join(manifest::NAME), manifest.bytes().unwrap()).unwrap();
    open(block.dir()).unwrap()
}

/// The spans as a head.
fn head(spans: &[Span]) -> Head {
    let head = Head::new(SpanClass::Telemetry);
    head.push(spans).unwrap();
    head
}

/// The spans as a block.
fn block(dir: &Path, name: &str, spans: &[Span]) -> Block {
    write(&dir.join(name), &head(spans), Covers::default()).unwrap()
}

/// The spans dealt to several blocks that are then merged.
fn merged(dir: &Path, spans: &[Span], blocks: usize) -> Block {
    let blocks: Vec<Arc<Block>> = (0..blocks)
        .map(|number| {
            let dealt: Vec<Span> = spans.iter().skip(number).step_by(blocks).cloned().collect();
            Arc::new(block(dir, &format!("dealt-{number}"), &dealt))
        })
        .collect();
    merge(dir, &blocks).unwrap()
}
