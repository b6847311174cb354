//! Spans on disk, written once and never changed: a directory that is whole, or is not there.
//!
//! The rows of a block are its spans: newest trace first, those of a trace together. `raw` holds them in compressed
//! frames; `index` holds the values of every key in their order, each with the rows that have it, the traces, and
//! for every row when its span began and how long it took; `manifest` says what the block is, and proves that the rest is whole.

mod counting;
mod directory;
mod draft;
mod file;
mod firsts;
mod frames;
mod manifest;
mod merge;
mod numbers;
mod open;
mod segment;
mod sieve;
mod table;
#[cfg(test)]
mod tests;
mod traces;
mod values;
mod varint;
mod write;
mod write_field;

pub(crate) use draft::withdraw;
pub(crate) use merge::{merge, merged_directory};
pub(crate) use open::{Block, open};
pub(crate) use write::write;

#[cfg(test)]
pub(crate) use tests::as_of_version_one;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Directories whose names begin like this are not blocks: they were being written or deleted, and may go.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// What a block stands for: once it is there, none of this is needed any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Covers {
    /// Numbers of log segments whose spans of this class are all here.
    pub(crate) log: Vec<u64>,
    /// Names of the directories of blocks that were merged into this one.
    pub(crate) blocks: Vec<String>,
    /// How far sources had come with what is here.
    pub(crate) marks: BTreeMap<String, u64>,
}
