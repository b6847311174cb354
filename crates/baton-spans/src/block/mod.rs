//! Spans on disk, written once and never changed: a directory that is whole, or is not there.

use crate::{
    head::Head,
    segment::{Names, Segment, Summary, TracePart},
};
use baton_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanNeed};
use baton_types::{Span, TraceId, Value};
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

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

/// An immutable block.
pub(crate) struct Block {
    dir: PathBuf,
    covers: Covers,
    summary: Summary,
}

/// Writes what the head holds as the directory `dir`, each span once; when this returns, it is there after a crash.
pub(crate) fn write(_dir: &Path, _head: &Head, _covers: Covers) -> Result<Block, SpanStoreError> {
    Err(SpanStoreError::Busy)
}

/// Opens the block in that directory.
pub(crate) fn open(_dir: &Path) -> Result<Block, SpanStoreError> {
    Err(SpanStoreError::Busy)
}

/// Writes blocks as one, each span once, into a directory below `parent` that is named after them.
///
/// It covers what they covered, and them; they are not deleted.
pub(crate) fn merge(_parent: &Path, _blocks: &[Arc<Block>]) -> Result<Block, SpanStoreError> {
    Err(SpanStoreError::Busy)
}

impl Block {
    /// Where it is.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What it stands for.
    pub(crate) fn covers(&self) -> &Covers {
        &self.covers
    }

    /// Removes it from disk; whoever still reads it can go on until they drop it.
    pub(crate) fn delete(&self) -> Result<(), SpanStoreError> {
        Err(SpanStoreError::Busy)
    }
}

impl Segment for Block {
    fn summary(&self) -> Summary {
        self.summary.clone()
    }

    fn newest_first(&self) -> bool {
        true
    }

    fn window(&self, _range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        Ok(0..0)
    }

    fn meeting(&self, _need: &SpanNeed, _aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError> {
        Ok(RoaringBitmap::new())
    }

    fn part(&self, _ordinal: u32) -> Result<TracePart, SpanStoreError> {
        Err(SpanStoreError::Busy)
    }

    fn ordinal(&self, _trace: TraceId) -> Result<Option<u32>, SpanStoreError> {
        Ok(None)
    }

    fn spans(&self, _ordinal: u32) -> Result<(Vec<Span>, u64), SpanStoreError> {
        Ok((Vec::new(), 0))
    }

    fn names(&self) -> Result<Names, SpanStoreError> {
        Ok(Vec::new())
    }

    fn values(&self, _: &Field, _: Option<&RoaringBitmap>, _: usize) -> Result<Vec<(Value, u64)>, SpanStoreError> {
        Ok(Vec::new())
    }
}
