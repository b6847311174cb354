//! Full verification of blocks, to find damage that opening them does not detect.

use super::{
    open::{BLOCKS_FOLDER, DAMAGED_FOLDER},
    recover::quarantine_damaged,
};
use crate::{
    block::{self, UNFINISHED_PREFIX},
    codec::SpanParts,
    disk,
    segment::Segment as _,
};
use baton_span_ports::SpanStoreError;
use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// Reads every span of every block in the directory of a closed store and quarantines unreadable blocks; returns their
/// new paths.
pub fn quarantine_damaged_blocks(directory: &Path) -> Result<Vec<PathBuf>, SpanStoreError> {
    let blocks = directory.join(BLOCKS_FOLDER);
    let mut aside = Vec::new();
    if !blocks.is_dir() {
        return Ok(aside);
    }
    for name in disk::names(&blocks)? {
        let path = blocks.join(&name);
        if name.starts_with(UNFINISHED_PREFIX) || !path.is_dir() {
            continue;
        }
        match verify_block(&path) {
            Ok(()) => {}
            Err(error @ SpanStoreError::Corrupt(_)) => {
                aside.push(quarantine_damaged(&path, &directory.join(DAMAGED_FOLDER), &error)?);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(aside)
}

fn verify_block(path: &Path) -> Result<(), SpanStoreError> {
    let block = block::open(path)?;
    block.names()?;
    for ordinal in 0..block.traces() {
        block.part(ordinal)?;
        block.each_span(ordinal, &SpanParts::ALL, &mut |_| ControlFlow::Continue(()))?;
    }
    Ok(())
}

/// Names of the quarantined files of a store, sorted.
pub fn damaged_files(directory: &Path) -> Vec<String> {
    disk::names(&directory.join(DAMAGED_FOLDER)).unwrap_or_default()
}
