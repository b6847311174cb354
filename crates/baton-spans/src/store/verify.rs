//! Full verification of blocks, to find damage that opening them does not detect.

use super::{
    open::{BLOCKS, DAMAGED},
    recover::move_damaged,
};
use crate::{
    block::{self, UNFINISHED},
    codec::Parts,
    disk,
    segment::Segment as _,
};
use baton_ports::SpanStoreError;
use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// Reads every span of every block in the directory of a closed store and quarantines unreadable blocks; returns their
/// new paths.
pub fn set_damaged_blocks_aside(directory: &Path) -> Result<Vec<PathBuf>, SpanStoreError> {
    let blocks = directory.join(BLOCKS);
    let mut aside = Vec::new();
    if !blocks.is_dir() {
        return Ok(aside);
    }
    for name in disk::names(&blocks)? {
        let path = blocks.join(&name);
        if name.starts_with(UNFINISHED) || !path.is_dir() {
            continue;
        }
        match read_through(&path) {
            Ok(()) => {}
            Err(error @ SpanStoreError::Corrupt(_)) => {
                aside.push(move_damaged(&path, &directory.join(DAMAGED), &error)?);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(aside)
}

fn read_through(path: &Path) -> Result<(), SpanStoreError> {
    let block = block::open(path)?;
    block.names()?;
    for ordinal in 0..block.summary().traces {
        block.part(ordinal)?;
        block.each_span(ordinal, &Parts::ALL, &mut |_| ControlFlow::Continue(()))?;
    }
    Ok(())
}

/// Names of the quarantined files of a store, sorted.
pub fn damaged_files(directory: &Path) -> Vec<String> {
    disk::names(&directory.join(DAMAGED)).unwrap_or_default()
}
