//! Reading every block through, to find damage that opening it does not.

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

/// Reads every span of every block in the directory of a store that no process has open, and sets those blocks aside
/// that cannot be read; says where they are now.
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

/// The names of what was set aside in the directory of a store, oldest names first.
pub fn damaged_files(directory: &Path) -> Vec<String> {
    disk::names(&directory.join(DAMAGED)).unwrap_or_default()
}
