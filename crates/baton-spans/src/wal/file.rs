//! A file of the log that is written.

use super::{Gathered, Marks, frame};
use crate::disk::{self, unavailable};
use baton_ports::SpanStoreError;
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// The file of the log that new spans go to.
pub(crate) struct LogFile {
    file: File,
    path: PathBuf,
    marker: frame::Marker,
    /// Everything before this is synced; nothing behind it counts.
    length: u64,
    frame: Vec<u8>,
}

/// The name of a file of the log.
pub(crate) fn name_of(number: u64) -> String {
    format!("{number:010}.log")
}

/// The number in the name of a file of the log.
pub(crate) fn number_of(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".log")?.parse().ok()?;
    (name_of(number) == name).then_some(number)
}

impl LogFile {
    /// Begins a file. It gets its name when its head and the marks so far are on disk: a file with a name is whole.
    pub(crate) fn create(directory: &Path, number: u64, marks: &Marks) -> Result<Self, SpanStoreError> {
        let path = directory.join(name_of(number));
        let unnamed = path.with_extension("new");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&unnamed)
            .map_err(unavailable("begin", &unnamed))?;
        let marker = rand::random();
        file.write_all_at(&frame::file_head(marker), 0).map_err(unavailable("write", &unnamed))?;
        let length = frame::FILE_HEAD as u64;
        let mut log = Self { file, path: unnamed.clone(), marker, length, frame: Vec::new() };
        let marks: Vec<_> = marks.iter().map(|(name, position)| (name.as_str(), *position)).collect();
        let entry = Gathered::default().finish(&marks)?;
        log.append([entry.payload.as_slice()]).map_err(|failed| failed.error)?;
        disk::sync(&log.file, &unnamed).map_err(unavailable("sync", &unnamed))?;
        disk::rename(&unnamed, &path)?;
        log.path = path;
        Ok(log)
    }

    /// Goes on with a file of which everything up to `length` is whole; what is behind is cut off.
    pub(crate) fn resume(path: &Path, marker: [u8; 8], length: u64) -> Result<Self, SpanStoreError> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(unavailable("open", path))?;
        let log = Self { file, path: path.to_owned(), marker, length, frame: Vec::new() };
        if log.file.metadata().map_err(unavailable("look at", path))?.len() != length {
            log.cut()?;
        }
        Ok(log)
    }

    /// How many bytes are in it.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends batches as one frame and syncs it: all of them are on disk when this returns, or none counts.
    pub(crate) fn append<'a>(&mut self, entries: impl IntoIterator<Item = &'a [u8]>) -> Result<(), Failed> {
        self.frame.clear();
        self.frame.resize(frame::FRAME_HEAD, 0);
        for entry in entries {
            self.frame.extend_from_slice(entry);
        }
        let head = frame::frame_head(self.marker, &self.frame[frame::FRAME_HEAD..]).ok_or_else(|| Failed {
            error: SpanStoreError::Unavailable("more spans came at once than a file can take".to_owned()),
            lasting: false,
        })?;
        self.frame[..frame::FRAME_HEAD].copy_from_slice(&head);
        if let Err(error) = self.file.write_all_at(&self.frame, self.length) {
            // Part of it may be there. If it cannot be cut off, nothing may be written behind it.
            let error = unavailable("write", &self.path)(error);
            return Err(Failed { error, lasting: self.cut().is_err() });
        }
        // After a failed sync nobody knows what is on disk, and asking again would not tell.
        let synced = disk::sync_data(&self.file, &self.path).map_err(unavailable("sync", &self.path));
        synced.map_err(|error| Failed { error, lasting: true })?;
        self.length += self.frame.len() as u64;
        self.frame.shrink_to(KEPT_BUFFER);
        Ok(())
    }

    /// Cuts off what is behind the last frame that counts, as a failure may have left it.
    pub(crate) fn cut(&self) -> Result<(), SpanStoreError> {
        self.file.set_len(self.length).map_err(unavailable("cut", &self.path))?;
        disk::sync(&self.file, &self.path).map_err(unavailable("sync", &self.path))
    }
}

/// One large group must not keep its memory for ever.
const KEPT_BUFFER: usize = 16 << 20;

/// Why a frame was not appended.
pub(crate) struct Failed {
    pub(crate) error: SpanStoreError,
    /// Whether no later one can be in this file, either.
    pub(crate) lasting: bool,
}
