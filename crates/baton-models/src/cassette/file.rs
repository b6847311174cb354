//! The cassette file: one JSON object per line, append-only.

use super::{canonical::key, event::CassetteEvent, nearest};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Maximum file size for reading and appending.
const MAX_CASSETTE_BYTES: u64 = 64 * 1024 * 1024;

/// Errors of cassette files.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be read or written.
    #[error("the cassette {path} cannot be used: {source}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// A line is not a valid entry.
    #[error("line {line} of the cassette {path} is damaged: {problem}; remove that line, or record again")]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Description of the problem.
        problem: String,
    },
    /// The file has reached its maximum size.
    #[error("the cassette {path} has reached {MAX_CASSETTE_BYTES} bytes; start a new one")]
    Full {
        /// Path of the file.
        path: PathBuf,
    },
}

/// One recorded answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CassetteEntry {
    pub(super) key: String,
    pub(super) model: String,
    pub(super) call: Value,
    pub(super) events: Vec<CassetteEvent>,
}

/// A cassette: recorded answers by call.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    index: Mutex<CassetteIndex>,
}

#[derive(Debug, Default)]
struct CassetteIndex {
    entries: Vec<CassetteEntry>,
    /// Indexes of the answers to the same call in recording order, and the position of the next one.
    by_key: HashMap<String, (Vec<usize>, usize)>,
}

impl CassetteIndex {
    fn add(&mut self, entry: CassetteEntry) {
        self.by_key.entry(entry.key.clone()).or_default().0.push(self.entries.len());
        self.entries.push(entry);
    }
}

impl Cassette {
    /// Reads the file; a missing file is an empty cassette.
    ///
    /// An incomplete last line, left by a crash, is ignored.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, CassetteError> {
        let path = path.into();
        let mut text = String::new();
        match File::open(&path) {
            Ok(file) => {
                file.take(MAX_CASSETTE_BYTES + 1)
                    .read_to_string(&mut text)
                    .map_err(|source| io_error(&path, source))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(io_error(&path, error)),
        }
        if text.len() as u64 > MAX_CASSETTE_BYTES {
            return Err(CassetteError::Full { path });
        }
        let mut held = CassetteIndex::default();
        let complete_lines = text.rfind('\n').map_or("", |end| &text[..end]);
        for (index, line) in complete_lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let damaged = |problem: String| CassetteError::Damaged { path: path.clone(), line: index + 1, problem };
            let entry: CassetteEntry = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
            if key(&entry.call) != entry.key {
                return Err(damaged("the key does not match the call".to_owned()));
            }
            held.add(entry);
        }
        Ok(Self { path, index: Mutex::new(held) })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of recorded answers.
    pub fn len(&self) -> usize {
        self.index.lock().entries.len()
    }

    /// Whether there are no recorded answers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends an answer in one write.
    pub(super) fn append(&self, entry: CassetteEntry) -> Result<(), CassetteError> {
        let mut held = self.index.lock();
        let failed = |source| io_error(&self.path, source);
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(&self.path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut line = Vec::new();
        if size > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
            if last != *b"\n" {
                // An incomplete line left by a crash is truncated; it would corrupt the line that follows.
                let keep = complete_lines_len(&mut file, size).map_err(failed)?;
                file.set_len(keep).map_err(failed)?;
            }
        }
        serde_json::to_writer(&mut line, &entry).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        if size.saturating_add(line.len() as u64) > MAX_CASSETTE_BYTES {
            return Err(CassetteError::Full { path: self.path.clone() });
        }
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(failed)?;
        held.add(entry);
        Ok(())
    }

    /// Next answer to a call; the last one is repeated.
    pub(super) fn next_answer(&self, key: &str) -> Option<Vec<CassetteEvent>> {
        let mut held = self.index.lock();
        let (answers, next) = held.by_key.get_mut(key)?;
        let index = *answers.get((*next).min(answers.len().checked_sub(1)?))?;
        *next = next.saturating_add(1);
        held.entries.get(index).map(|entry| entry.events.clone())
    }

    /// Difference between this call and the nearest recorded one.
    pub(super) fn difference(&self, call: &Value) -> Option<String> {
        nearest::difference(call, self.index.lock().entries.iter().map(|entry| &entry.call))
    }
}

fn io_error(path: &Path, source: std::io::Error) -> CassetteError {
    CassetteError::Io { path: path.to_owned(), source }
}

/// Length of the complete lines in bytes.
fn complete_lines_len(file: &mut File, size: u64) -> std::io::Result<u64> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end as u64 + 1))
}
