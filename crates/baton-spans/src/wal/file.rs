//! Writing a log file.

use super::{Gathered, Marks, frame};
use crate::disk::{self, unavailable};
use baton_ports::SpanStoreError;
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// The log file that new spans are appended to.
pub(crate) struct LogFile {
    file: File,
    path: PathBuf,
    marker: frame::Marker,
    /// Synced length; bytes after it do not count.
    length: u64,
    frame: Vec<u8>,
}

/// Name of a log file.
pub(crate) fn name_of(number: u64) -> String {
    format!("{number:010}.log")
}

/// Number in the name of a log file.
pub(crate) fn number_of(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".log")?.parse().ok()?;
    (name_of(number) == name).then_some(number)
}

impl LogFile {
    /// Creates a log file. It is renamed to its final name once its header and the current watermarks are synced: a
    /// file with a final name is complete.
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
            .map_err(unavailable("create", &unnamed))?;
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

    /// Resumes a file that is intact up to `length`; the rest is truncated.
    pub(crate) fn resume(path: &Path, marker: [u8; 8], length: u64) -> Result<Self, SpanStoreError> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(unavailable("open", path))?;
        let log = Self { file, path: path.to_owned(), marker, length, frame: Vec::new() };
        if log.file.metadata().map_err(unavailable("inspect", path))?.len() != length {
            log.cut()?;
        }
        Ok(log)
    }

    /// Length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends batches as one frame and syncs it: all of them are durable when this returns, or none counts.
    pub(crate) fn append<'a>(&mut self, entries: impl IntoIterator<Item = &'a [u8]>) -> Result<(), Failed> {
        self.frame.clear();
        self.frame.resize(frame::FRAME_HEAD, 0);
        for entry in entries {
            self.frame.extend_from_slice(entry);
        }
        let head =
            frame::frame_head(self.marker, &self.frame[frame::FRAME_HEAD..]).ok_or_else(|| Failed {
                error: SpanStoreError::Unavailable("the group of batches is too large for one log frame".to_owned()),
                lasting: false,
            })?;
        self.frame[..frame::FRAME_HEAD].copy_from_slice(&head);
        if let Err(error) = self.file.write_all_at(&self.frame, self.length) {
            // Part of the frame may be written. If it cannot be truncated, nothing may be written after it.
            let error = unavailable("write", &self.path)(error);
            return Err(Failed { error, lasting: self.cut().is_err() });
        }
        // After a failed sync the content on disk is unknown, and a second sync would not report it.
        let synced = disk::sync_data(&self.file, &self.path).map_err(unavailable("sync", &self.path));
        synced.map_err(|error| Failed { error, lasting: true })?;
        self.length += self.frame.len() as u64;
        self.frame.shrink_to(KEPT_BUFFER);
        Ok(())
    }

    /// Truncates the file to the last frame that counts.
    pub(crate) fn cut(&self) -> Result<(), SpanStoreError> {
        self.file.set_len(self.length).map_err(unavailable("truncate", &self.path))?;
        disk::sync(&self.file, &self.path).map_err(unavailable("sync", &self.path))
    }
}

/// Buffer capacity that is kept after a large group.
const KEPT_BUFFER: usize = 16 << 20;

/// Reason for a failed append.
pub(crate) struct Failed {
    pub(crate) error: SpanStoreError,
    /// Whether all later appends to this file must fail, too.
    pub(crate) lasting: bool,
}
