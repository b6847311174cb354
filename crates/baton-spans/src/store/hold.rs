//! Files of the log that are held for those who send spans on.
//!
//! Each of them has a place in the log that is on disk before anything is deleted for it. A file that the store needs no
//! more is moved beside the log as long as somebody's place is in it or before it.

use super::recover::move_damaged;
use crate::{
    disk::{self, unavailable},
    options::Hold,
    wal::{self, Tail},
};
use baton_ports::SpanStoreError;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

/// Somebody who was not seen for this long holds nothing any more.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);
/// What is held for those who are away.
const FOR_ABSENT: u64 = 1 << 30;
const CURSOR: &str = ".cursor";

/// A place in the log between two spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPlace {
    /// The number of the file.
    pub(super) file: u64,
    /// What only this file has: a directory that began anew has the same numbers.
    pub(super) marker: [u8; 8],
    /// Where a frame begins.
    pub(super) byte: u64,
    /// How many spans of that frame are before it.
    pub(super) spans: u64,
}

/// What is on disk of a reader.
#[derive(Serialize, Deserialize)]
struct Cursor {
    place: LogPlace,
    holds: bool,
}

#[derive(Default)]
struct Reader {
    place: LogPlace,
    /// Whether files are kept for it.
    holds: bool,
    /// Spans that it will never see.
    lost: u64,
}

/// What is held, and for whom.
pub(super) struct Held {
    directory: PathBuf,
    bytes: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    readers: BTreeMap<String, Reader>,
    /// How long each file is.
    files: BTreeMap<u64, u64>,
    /// The last file that went although somebody wanted it.
    gone: u64,
}

impl State {
    fn is_wanted(&self, number: u64) -> bool {
        self.readers.values().any(|reader| reader.holds && reader.place.file <= number)
    }
}

impl Held {
    /// Finds what is held; what nobody wants goes.
    pub(super) fn open(
        directory: PathBuf,
        wanted: &Hold,
        damaged: &Path,
        set_aside: &mut Vec<PathBuf>,
    ) -> Result<Self, SpanStoreError> {
        let mut state = State::default();
        for name in &wanted.readers {
            state.readers.insert(name.clone(), Reader { holds: wanted.bytes > 0, ..Reader::default() });
        }
        if directory.exists() || !wanted.readers.is_empty() {
            disk::make_directory(&directory)?;
            for name in disk::names(&directory)? {
                let path = directory.join(&name);
                if wal::number_of(&name).is_some()
                    && let Err(error @ SpanStoreError::Corrupt(_)) = Tail::open(&path)
                {
                    set_aside.push(move_damaged(&path, damaged, &error)?);
                    continue;
                }
                find(&directory, &name, &mut state)?;
            }
        }
        let absent = state.readers.iter().any(|(name, reader)| reader.holds && !wanted.readers.contains(name));
        let bytes = if absent { wanted.bytes.max(FOR_ABSENT) } else { wanted.bytes };
        let held = Self { directory, bytes, state: Mutex::new(state) };
        held.free(&mut held.state.lock())?;
        Ok(held)
    }

    /// Where a reader goes on.
    pub(super) fn place(&self, name: &str) -> Option<LogPlace> {
        self.state.lock().readers.get(name).map(|reader| reader.place)
    }

    /// How many spans a reader will never see.
    pub(super) fn lost(&self, name: &str) -> u64 {
        self.state.lock().readers.get(name).map_or(0, |reader| reader.lost)
    }

    /// Files up to this number went although somebody wanted them.
    pub(super) fn gone(&self) -> u64 {
        self.state.lock().gone
    }

    /// Where a file is when it is held.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        self.directory.join(wal::name_of(number))
    }

    /// The files that are held, and how long they are.
    pub(super) fn files(&self) -> Vec<(u64, u64)> {
        self.state.lock().files.iter().map(|(number, bytes)| (*number, *bytes)).collect()
    }

    /// Takes a file that the store needs no more, or removes it when nobody wants it.
    pub(super) fn release(&self, log: &Path, number: u64) -> Result<(), SpanStoreError> {
        let path = log.join(wal::name_of(number));
        let mut state = self.state.lock();
        if !state.is_wanted(number) || !path.exists() {
            disk::remove(&path)?;
            return disk::sync_directory(log);
        }
        let bytes = fs::metadata(&path).map_or(0, |file| file.len());
        disk::rename(&path, &self.path(number))?;
        state.files.insert(number, bytes);
        self.shorten(&mut state)?;
        disk::sync_directory(log)
    }

    /// Makes the place of a reader durable, and removes what nobody needs any more.
    pub(super) fn settle(&self, name: &str, place: LogPlace) -> Result<(), SpanStoreError> {
        let mut state = self.state.lock();
        let Some(reader) = state.readers.get_mut(name) else { return Ok(()) };
        if reader.place == place {
            return Ok(());
        }
        let cursor = Cursor { place, holds: reader.holds };
        let path = self.directory.join(format!("{name}{CURSOR}"));
        write(&path, &cursor)?;
        reader.place = place;
        self.free(&mut state)
    }

    fn free(&self, state: &mut State) -> Result<(), SpanStoreError> {
        let done: Vec<u64> = state.files.keys().copied().filter(|number| !state.is_wanted(*number)).collect();
        for number in done {
            disk::remove(&self.path(number))?;
            state.files.remove(&number);
        }
        Ok(())
    }

    /// Removes the oldest files beyond the bound.
    fn shorten(&self, state: &mut State) -> Result<(), SpanStoreError> {
        while state.files.values().sum::<u64>() > self.bytes
            && let Some((&number, _)) = state.files.first_key_value()
        {
            let path = self.path(number);
            for (name, reader) in &mut state.readers {
                let lost = count(&path, number, reader.place);
                if reader.holds && lost > 0 {
                    if reader.lost == 0 {
                        tracing::warn!(target = name, "spans wait for a target that does not take them; the oldest go");
                    }
                    reader.lost += lost;
                }
            }
            disk::remove(&path)?;
            state.files.remove(&number);
            state.gone = number;
        }
        Ok(())
    }
}

/// How many spans of a file are behind that place; as many as can be read.
fn count(path: &Path, number: u64, place: LogPlace) -> u64 {
    if place.file > number {
        return 0;
    }
    let Ok(Some(mut tail)) = Tail::open(path) else { return 0 };
    let mut before = 0;
    if place.file == number && tail.marker() == place.marker {
        tail.go_to(place.byte);
        before = place.spans;
    }
    let end = tail.length().unwrap_or(0);
    let mut spans = 0;
    while let Ok(Some(more)) = tail.next(end) {
        spans += more.len() as u64;
    }
    spans.saturating_sub(before)
}

/// Takes up one file of the directory.
fn find(directory: &Path, name: &str, state: &mut State) -> Result<(), SpanStoreError> {
    let path = directory.join(name);
    if let Some(number) = wal::number_of(name) {
        let bytes = fs::metadata(&path).map_err(unavailable("look at", &path))?.len();
        state.files.insert(number, bytes);
        return Ok(());
    }
    let Some(reader) = name.strip_suffix(CURSOR) else { return disk::remove(&path) };
    let Some(cursor) = read(&path) else { return Ok(()) };
    match state.readers.get_mut(reader) {
        Some(known) => known.place = cursor.place,
        None if cursor.holds && is_recent(&path) => {
            let absent = Reader { place: cursor.place, holds: true, lost: 0 };
            state.readers.insert(reader.to_owned(), absent);
        }
        None => {}
    }
    Ok(())
}

/// One that cannot be read is none: its reader begins with the oldest that there is.
fn read(path: &Path) -> Option<Cursor> {
    let cursor = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if cursor.is_none() {
        tracing::warn!(file = %path.display(), "cannot be read; spans may be sent again");
    }
    cursor
}

fn is_recent(path: &Path) -> bool {
    let written = fs::metadata(path).and_then(|file| file.modified()).ok();
    // One from the future was written by a clock that was wrong, and is as good as new.
    written.is_some_and(|written| written.elapsed().map_or(true, |age| age < FORGOTTEN))
}

fn write(path: &Path, cursor: &Cursor) -> Result<(), SpanStoreError> {
    let unnamed = path.with_extension("new");
    let bytes = serde_json::to_vec(cursor)
        .map_err(|error| SpanStoreError::Unavailable(format!("a place in the log cannot be written: {error}")))?;
    let mut file = File::create(&unnamed).map_err(unavailable("write", &unnamed))?;
    file.write_all(&bytes).map_err(unavailable("write", &unnamed))?;
    disk::sync(&file, &unnamed).map_err(unavailable("sync", &unnamed))?;
    disk::rename(&unnamed, path)
}
