//! Immutable blocks of spans on disk: a directory that is complete, or does not exist.
//!
//! The rows of a block are its spans: newest trace first, the spans of a trace together. `raw` holds them in compressed
//! frames; `index` holds the sorted values of every key with their posting lists, the traces, and the start and
//! duration of every row; `manifest` describes the block, with lengths and a checksum to verify the rest.

mod block_writer;
mod bloom_filter;
mod deduplicator;
mod directory;
mod file;
mod frames;
mod manifest;
mod merge;
mod numbers;
mod open;
mod segment;
mod table;
#[cfg(test)]
mod tests;
mod trace_boundaries;
mod traces;
mod value_rows;
mod values;
mod varint;
mod write;
mod write_field;

pub(crate) use block_writer::delete_block;
pub(crate) use merge::{merge, merged_directory};
pub(crate) use open::{SpanBlock, open};
pub(crate) use write::write;

#[cfg(test)]
pub(crate) use tests::{as_of_version_one, as_without_parents};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Prefix of directories that are not blocks: they are incomplete or being deleted, and can be removed.
pub(crate) const UNFINISHED_PREFIX: &str = ".unfinished-";

/// Inputs that a block replaces: once it exists, none of them is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockInputs {
    /// Numbers of log files whose spans of this class are all in the block.
    pub(crate) log: Vec<u64>,
    /// Directory names of the blocks merged into this one.
    pub(crate) blocks: Vec<String>,
    /// Watermarks of sources at the time of the block.
    pub(crate) marks: BTreeMap<String, u64>,
}
