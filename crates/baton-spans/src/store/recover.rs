//! Recovery of the store from its directory, in any state that a crash may have left.

use super::{
    embedded::StorePaths,
    flush::{GenerationBlocks, MAX_FROZEN, release_log},
    view::{FrozenGeneration, HeadGeneration, StoreView, StoredBlock, partition_by_class},
};
use crate::{
    block::{self, UNFINISHED_PREFIX},
    disk,
    options::SpanStoreOptions,
    segment::Segment as _,
    wal::{self, LogFile, LogFilePosition, ReplaySummary, WalEntry, Watermarks},
};
use baton_span_ports::{SpanStoreError, error_codes};
use baton_types::{Span, SpanClass};
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::UNIX_EPOCH,
};

/// State of the recovered store.
pub(super) struct RecoveredStore {
    pub(super) view: StoreView,
    pub(super) marks: Watermarks,
    pub(super) log: LogFile,
    pub(super) log_bytes: u64,
}

/// Loads the directory, and removes incomplete files left by a crash.
pub(super) fn recover(
    paths: &StorePaths,
    options: &SpanStoreOptions,
    set_aside: &mut Vec<PathBuf>,
) -> Result<RecoveredStore, SpanStoreError> {
    disk::make_directory(&paths.log)?;
    disk::make_directory(&paths.blocks)?;
    let blocks = open_blocks(paths, set_aside)?;
    let covered = LogCoverage::from_blocks(&blocks);
    let numbers = log_numbers(&paths.log, &covered)?;
    let mut recovery =
        StoreRecovery { paths, options, covered, marks: Watermarks::new(), blocks, frozen: Vec::new(), set_aside };
    for stored in &recovery.blocks {
        advance_watermarks(
            &mut recovery.marks,
            stored.block.inputs().marks.iter().map(|(name, mark)| (name.clone(), *mark)),
        );
    }
    recovery.read(&numbers)
}

struct StoreRecovery<'a> {
    paths: &'a StorePaths,
    options: &'a SpanStoreOptions,
    covered: LogCoverage,
    marks: Watermarks,
    blocks: Vec<StoredBlock>,
    frozen: Vec<FrozenGeneration>,
    set_aside: &'a mut Vec<PathBuf>,
}

impl StoreRecovery<'_> {
    fn read(mut self, numbers: &[u64]) -> Result<RecoveredStore, SpanStoreError> {
        let mut last = None;
        for (index, &number) in numbers.iter().enumerate() {
            let position = if index + 1 == numbers.len() { LogFilePosition::Last } else { LogFilePosition::Earlier };
            let generation = HeadGeneration::new(number);
            let replayed = match self.replay(&generation, position) {
                Err(error @ SpanStoreError::Corrupt(_)) => {
                    self.salvage(number, &error)?;
                    continue;
                }
                replayed => replayed?,
            };
            // Files covered by blocks are never replayed again: nothing may be appended to them.
            if position == LogFilePosition::Last && !self.covered.any(number) {
                last = Some((generation, replayed));
            } else {
                self.freeze(generation)?;
            }
        }
        let (active, log) = match last {
            Some((generation, replayed)) => {
                let path = self.paths.log.join(wal::log_file_name(generation.number));
                let log = LogFile::resume(&path, replayed.marker, replayed.length)?;
                (generation, log)
            }
            None => {
                let number = numbers.last().copied().max(self.covered.last()).unwrap_or(0) + 1;
                (HeadGeneration::new(number), LogFile::create(&self.paths.log, number, &self.marks)?)
            }
        };
        let older = self.frozen.iter().map(|frozen| self.paths.log.join(wal::log_file_name(frozen.generation.number)));
        let log_bytes = log.length() + older.map(|path| fs::metadata(path).map_or(0, |file| file.len())).sum::<u64>();
        let view = StoreView { active: Arc::new(active), frozen: self.frozen, blocks: self.blocks };
        Ok(RecoveredStore { view, marks: self.marks, log, log_bytes })
    }

    fn replay(
        &mut self,
        generation: &HeadGeneration,
        position: LogFilePosition,
    ) -> Result<ReplaySummary, SpanStoreError> {
        let path = self.paths.log.join(wal::log_file_name(generation.number));
        let in_block = self.in_block(generation.number);
        let replayed = wal::replay(&path, position, |entry| {
            let WalEntry { marks, mut spans } = entry;
            advance_watermarks(&mut self.marks, marks);
            add_to_heads(generation, &mut spans, in_block)
        })?;
        if replayed.torn > 0 {
            tracing::warn!(file = %path.display(), bytes = replayed.torn, "the log ends in an incomplete frame, left by a crash");
        }
        Ok(replayed)
    }

    /// Writes the readable spans of a damaged log file as blocks, and quarantines the file.
    fn salvage(&mut self, number: u64, error: &SpanStoreError) -> Result<(), SpanStoreError> {
        let path = self.paths.log.join(wal::log_file_name(number));
        let generation = HeadGeneration::new(number);
        let in_block = self.in_block(number);
        let lost_bytes = wal::salvage(&path, |entry| {
            let WalEntry { marks, mut spans } = entry;
            advance_watermarks(&mut self.marks, marks);
            add_to_heads(&generation, &mut spans, in_block)
        })?;
        let frozen = FrozenGeneration { generation: Arc::new(generation), marks: Arc::new(self.marks.clone()) };
        let spans = frozen.generation.spans();
        self.blocks.extend(GenerationBlocks::default().write(&frozen, self.paths, self.options)?);
        self.set_aside.push(quarantine_damaged(&path, &self.paths.damaged, error)?);
        tracing::warn!(spans, lost_bytes, "the readable spans of a damaged log file were saved");
        Ok(())
    }

    fn in_block(&self, number: u64) -> [bool; 2] {
        [SpanClass::Telemetry, SpanClass::Memory].map(|class| self.covered.has(class, number))
    }

    /// Freezes the heads of a complete log file; beyond the limit of frozen generations the oldest is flushed at once.
    fn freeze(&mut self, generation: HeadGeneration) -> Result<(), SpanStoreError> {
        if generation.spans() == 0 {
            release_log(self.paths, generation.number, self.options);
            return Ok(());
        }
        self.frozen.push(FrozenGeneration { generation: Arc::new(generation), marks: Arc::new(self.marks.clone()) });
        if self.frozen.len() > MAX_FROZEN {
            let oldest = self.frozen.remove(0);
            self.blocks.extend(GenerationBlocks::default().write(&oldest, self.paths, self.options)?);
            release_log(self.paths, oldest.generation.number, self.options);
        }
        Ok(())
    }
}

fn add_to_heads(generation: &HeadGeneration, spans: &mut [Span], in_block: [bool; 2]) -> Result<(), SpanStoreError> {
    let (telemetry, memory) = {
        let count = partition_by_class(spans);
        spans.split_at(count)
    };
    for ((head, spans), in_block) in
        [(&generation.telemetry, telemetry), (&generation.memory, memory)].into_iter().zip(in_block)
    {
        if !in_block && !spans.is_empty() {
            head.push(spans)?;
        }
    }
    Ok(())
}

fn advance_watermarks(marks: &mut Watermarks, more: impl IntoIterator<Item = (String, u64)>) {
    for (name, position) in more {
        let known = marks.entry(name).or_insert(position);
        *known = position.max(*known);
    }
}

/// Log files covered by blocks, by class.
struct LogCoverage(HashMap<SpanClass, HashSet<u64>>);

impl LogCoverage {
    fn from_blocks(blocks: &[StoredBlock]) -> Self {
        let mut covered: HashMap<SpanClass, HashSet<u64>> = HashMap::new();
        for stored in blocks {
            covered.entry(stored.block.summary().class).or_default().extend(&stored.block.inputs().log);
        }
        Self(covered)
    }

    fn has(&self, class: SpanClass, number: u64) -> bool {
        self.0.get(&class).is_some_and(|numbers| numbers.contains(&number))
    }

    fn any(&self, number: u64) -> bool {
        self.0.values().any(|numbers| numbers.contains(&number))
    }

    fn last(&self) -> Option<u64> {
        self.0.values().flatten().copied().max()
    }
}

/// Quarantines an unreadable file or directory and logs it.
pub(super) fn quarantine_damaged(
    path: &Path,
    damaged: &Path,
    error: &SpanStoreError,
) -> Result<PathBuf, SpanStoreError> {
    let target = disk::quarantine(path, damaged)?;
    tracing::warn!(
        code = error.code().code,
        %error,
        now = %target.display(),
        "a damaged file of the span store was set aside; its spans are missing, all others stay available"
    );
    Ok(target)
}

/// Opens every intact block, quarantines damaged ones, and deletes those replaced by a merged block.
fn open_blocks(paths: &StorePaths, set_aside: &mut Vec<PathBuf>) -> Result<Vec<StoredBlock>, SpanStoreError> {
    let directory = &paths.blocks;
    let mut blocks = Vec::new();
    for name in disk::names(directory)? {
        let path = directory.join(&name);
        if name.starts_with(UNFINISHED_PREFIX) {
            disk::remove(&path)?;
        } else if path.is_dir() {
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
            let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|since| since.as_nanos());
            let written = written.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or(u64::MAX);
            match block::open(&path) {
                Ok(block) => blocks.push((name, StoredBlock { block: Arc::new(block), written })),
                Err(error @ SpanStoreError::Corrupt(_)) => {
                    set_aside.push(quarantine_damaged(&path, &paths.damaged, &error)?);
                }
                Err(error) => return Err(error),
            }
        }
    }
    let merged: HashSet<String> = blocks.iter().flat_map(|(_, stored)| stored.block.inputs().blocks.clone()).collect();
    let (obsolete, current): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|(name, _)| merged.contains(name));
    for (_, stored) in obsolete {
        stored.block.delete()?;
    }
    Ok(current.into_iter().map(|(_, stored)| stored).collect())
}

/// Numbers of the log files, oldest first.
fn log_numbers(directory: &Path, covered: &LogCoverage) -> Result<Vec<u64>, SpanStoreError> {
    let mut numbers = Vec::new();
    for name in disk::names(directory)? {
        if name.ends_with(".new") {
            disk::remove(&directory.join(&name))?;
        }
        numbers.extend(wal::log_file_number(&name));
    }
    numbers.sort_unstable();
    for pair in numbers.windows(2) {
        if let Some(missing) = (pair[0] + 1..pair[1]).find(|number| !covered.any(*number)) {
            let path = directory.join(wal::log_file_name(missing));
            let code = error_codes::SPANS_CORRUPT.code;
            tracing::warn!(code, file = %path.display(), "a log file is missing; its spans are lost");
        }
    }
    Ok(numbers)
}
