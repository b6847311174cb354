//! Log files retained for readers that forward spans.
//!
//! Each reader has a position in the log that is durable before any file is deleted because of it. A file that the
//! store no longer needs is moved to the retention directory while the position of a reader is in it or before it.

use super::recover::quarantine_damaged;
use crate::{
    disk::{self, unavailable},
    options::LogRetentionOptions,
    wal::{self, LogTail},
};
use baton_span_ports::SpanStoreError;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

/// A reader that is not configured and was inactive for this long retains nothing.
const READER_TTL: Duration = Duration::from_secs(24 * 60 * 60);
/// Minimum retention limit in bytes while there are unconfigured readers.
const MIN_ABSENT_BYTES: u64 = 1 << 30;
const CURSOR_SUFFIX: &str = ".cursor";

/// A position in the log between two spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPosition {
    /// Number of the log file.
    pub(super) file: u64,
    /// Random marker of the file: a recreated log has the same file numbers.
    pub(super) marker: [u8; 8],
    /// Offset of a frame.
    pub(super) byte: u64,
    /// Number of spans of that frame before the position.
    pub(super) spans: u64,
}

/// Stored state of a reader.
#[derive(Serialize, Deserialize)]
struct StoredLogCursor {
    place: LogPosition,
    holds: bool,
}

#[derive(Default)]
struct LogReaderState {
    position: LogPosition,
    /// Whether files are retained for it.
    retains: bool,
    /// Number of spans deleted before it read them.
    dropped_spans: u64,
}

/// Retained log files and their readers.
pub(super) struct LogRetention {
    directory: PathBuf,
    bytes: u64,
    state: Mutex<LogRetentionState>,
}

#[derive(Default)]
struct LogRetentionState {
    readers: BTreeMap<String, LogReaderState>,
    /// Length of each file.
    files: BTreeMap<u64, u64>,
    /// The last file that was deleted although a reader needed it.
    last_deleted: u64,
}

impl LogRetentionState {
    fn is_needed(&self, number: u64) -> bool {
        self.readers.values().any(|reader| reader.retains && reader.position.file <= number)
    }
}

impl LogRetention {
    /// Loads the retained files and positions; files that no reader needs are deleted.
    pub(super) fn open(
        directory: PathBuf,
        options: &LogRetentionOptions,
        damaged: &Path,
        set_aside: &mut Vec<PathBuf>,
    ) -> Result<Self, SpanStoreError> {
        let mut state = LogRetentionState::default();
        for name in &options.readers {
            state
                .readers
                .insert(name.clone(), LogReaderState { retains: options.bytes > 0, ..LogReaderState::default() });
        }
        if directory.exists() || !options.readers.is_empty() {
            disk::make_directory(&directory)?;
            for name in disk::names(&directory)? {
                let path = directory.join(&name);
                if wal::log_file_number(&name).is_some()
                    && let Err(error @ SpanStoreError::Corrupt(_)) = LogTail::open(&path)
                {
                    set_aside.push(quarantine_damaged(&path, damaged, &error)?);
                    continue;
                }
                load_file(&directory, &name, &mut state)?;
            }
        }
        let absent = state.readers.iter().any(|(name, reader)| reader.retains && !options.readers.contains(name));
        let bytes = if absent { options.bytes.max(MIN_ABSENT_BYTES) } else { options.bytes };
        let held = Self { directory, bytes, state: Mutex::new(state) };
        held.delete_unneeded(&mut held.state.lock())?;
        Ok(held)
    }

    /// Position of a reader.
    pub(super) fn position(&self, name: &str) -> Option<LogPosition> {
        self.state.lock().readers.get(name).map(|reader| reader.position)
    }

    /// Number of spans deleted before the reader read them.
    pub(super) fn dropped_spans(&self, name: &str) -> u64 {
        self.state.lock().readers.get(name).map_or(0, |reader| reader.dropped_spans)
    }

    /// Files up to this number were deleted although a reader needed them.
    pub(super) fn last_deleted(&self) -> u64 {
        self.state.lock().last_deleted
    }

    /// Path of a retained file.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        self.directory.join(wal::log_file_name(number))
    }

    /// The retained files and their lengths.
    pub(super) fn files(&self) -> Vec<(u64, u64)> {
        self.state.lock().files.iter().map(|(number, bytes)| (*number, *bytes)).collect()
    }

    /// Takes over a file that the store no longer needs, or deletes it if no reader needs it.
    pub(super) fn release(&self, log: &Path, number: u64) -> Result<(), SpanStoreError> {
        let path = log.join(wal::log_file_name(number));
        let mut state = self.state.lock();
        if !state.is_needed(number) || !path.exists() {
            disk::remove(&path)?;
            return disk::sync_directory(log);
        }
        let bytes = fs::metadata(&path).map_or(0, |file| file.len());
        disk::rename(&path, &self.path(number))?;
        state.files.insert(number, bytes);
        self.enforce_limit(&mut state)?;
        disk::sync_directory(log)
    }

    /// Makes the position of a reader durable, and deletes files that are no longer needed.
    pub(super) fn save_position(&self, name: &str, position: LogPosition) -> Result<(), SpanStoreError> {
        let mut state = self.state.lock();
        let Some(reader) = state.readers.get_mut(name) else { return Ok(()) };
        if reader.position == position {
            return Ok(());
        }
        let cursor = StoredLogCursor { place: position, holds: reader.retains };
        let path = self.directory.join(format!("{name}{CURSOR_SUFFIX}"));
        write_cursor(&path, &cursor)?;
        reader.position = position;
        self.delete_unneeded(&mut state)
    }

    fn delete_unneeded(&self, state: &mut LogRetentionState) -> Result<(), SpanStoreError> {
        let done: Vec<u64> = state.files.keys().copied().filter(|number| !state.is_needed(*number)).collect();
        for number in done {
            disk::remove(&self.path(number))?;
            state.files.remove(&number);
        }
        Ok(())
    }

    /// Deletes the oldest files beyond the size limit.
    fn enforce_limit(&self, state: &mut LogRetentionState) -> Result<(), SpanStoreError> {
        while state.files.values().sum::<u64>() > self.bytes
            && let Some((&number, _)) = state.files.first_key_value()
        {
            let path = self.path(number);
            for (name, reader) in &mut state.readers {
                let unread = count_unread(&path, number, reader.position);
                if reader.retains && unread > 0 {
                    if reader.dropped_spans == 0 {
                        tracing::warn!(
                            target = name,
                            "a target does not accept spans and its backlog is full; the oldest spans are dropped"
                        );
                    }
                    reader.dropped_spans += unread;
                }
            }
            disk::remove(&path)?;
            state.files.remove(&number);
            state.last_deleted = number;
        }
        Ok(())
    }
}

/// Number of readable spans of a file after that position.
fn count_unread(path: &Path, number: u64, position: LogPosition) -> u64 {
    if position.file > number {
        return 0;
    }
    let Ok(Some(mut tail)) = LogTail::open(path) else { return 0 };
    let mut before = 0;
    if position.file == number && tail.marker() == position.marker {
        tail.seek(position.byte);
        before = position.spans;
    }
    let end = tail.length().unwrap_or(0);
    let mut spans = 0;
    while let Ok(Some(more)) = tail.next(end) {
        spans += more.len() as u64;
    }
    spans.saturating_sub(before)
}

/// Loads one file of the directory.
fn load_file(directory: &Path, name: &str, state: &mut LogRetentionState) -> Result<(), SpanStoreError> {
    let path = directory.join(name);
    if let Some(number) = wal::log_file_number(name) {
        let bytes = fs::metadata(&path).map_err(unavailable("inspect", &path))?.len();
        state.files.insert(number, bytes);
        return Ok(());
    }
    let Some(reader) = name.strip_suffix(CURSOR_SUFFIX) else { return disk::remove(&path) };
    let Some(cursor) = read_cursor(&path) else { return Ok(()) };
    match state.readers.get_mut(reader) {
        Some(known) => known.position = cursor.place,
        None if cursor.holds && is_recent(&path) => {
            let absent = LogReaderState { position: cursor.place, retains: true, dropped_spans: 0 };
            state.readers.insert(reader.to_owned(), absent);
        }
        None => {}
    }
    Ok(())
}

/// A cursor that cannot be read is ignored: its reader starts with the oldest file.
fn read_cursor(path: &Path) -> Option<StoredLogCursor> {
    let cursor = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if cursor.is_none() {
        tracing::warn!(file = %path.display(), "the stored position of a log reader cannot be read; spans may be sent again");
    }
    cursor
}

fn is_recent(path: &Path) -> bool {
    let written = fs::metadata(path).and_then(|file| file.modified()).ok();
    // A modification time in the future comes from a wrong clock and counts as recent.
    written.is_some_and(|written| written.elapsed().map_or(true, |age| age < READER_TTL))
}

fn write_cursor(path: &Path, cursor: &StoredLogCursor) -> Result<(), SpanStoreError> {
    let unnamed = path.with_extension("new");
    let bytes = serde_json::to_vec(cursor)
        .map_err(|error| SpanStoreError::Unavailable(format!("a log position cannot be encoded: {error}")))?;
    let mut file = File::create(&unnamed).map_err(unavailable("write", &unnamed))?;
    file.write_all(&bytes).map_err(unavailable("write", &unnamed))?;
    disk::sync(&file, &unnamed).map_err(unavailable("sync", &unnamed))?;
    disk::rename(&unnamed, path)
}
