//! Writing a log file.

use super::{SpanBatchEncoder, Watermarks, frame};
use crate::disk::{self, unavailable};
use baton_span_ports::SpanStoreError;
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// The log file that new spans are appended to.
pub(crate) struct LogFile {
    file: File,
    path: PathBuf,
    marker: frame::FrameMarker,
    /// Synced length; bytes after it do not count.
    length: u64,
    frame: Vec<u8>,
}

/// Name of a log file.
pub(crate) fn log_file_name(number: u64) -> String {
    format!("{number:010}.log")
}

/// Number in the name of a log file.
pub(crate) fn log_file_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".log")?.parse().ok()?;
    (log_file_name(number) == name).then_some(number)
}

impl LogFile {
    /// Creates a log file. It is renamed to its final name once its header and the current watermarks are synced: a
    /// file with a final name is complete.
    pub(crate) fn create(directory: &Path, number: u64, marks: &Watermarks) -> Result<Self, SpanStoreError> {
        let path = directory.join(log_file_name(number));
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
        let length = frame::FILE_HEADER_LEN as u64;
        let mut log = Self { file, path: unnamed.clone(), marker, length, frame: Vec::new() };
        let marks: Vec<_> = marks.iter().map(|(name, position)| (name.as_str(), *position)).collect();
        let entry = SpanBatchEncoder::default().finish(&marks)?;
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
            log.truncate()?;
        }
        Ok(log)
    }

    /// Length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends batches as one frame and syncs it: all of them are durable when this returns, or none counts.
    pub(crate) fn append<'a>(&mut self, entries: impl IntoIterator<Item = &'a [u8]>) -> Result<(), AppendError> {
        self.frame.clear();
        self.frame.resize(frame::FRAME_HEADER_LEN, 0);
        for entry in entries {
            self.frame.extend_from_slice(entry);
        }
        let head =
            frame::frame_head(self.marker, &self.frame[frame::FRAME_HEADER_LEN..]).ok_or_else(|| AppendError {
                error: SpanStoreError::Unavailable("the group of batches is too large for one log frame".to_owned()),
                permanent: false,
            })?;
        self.frame[..frame::FRAME_HEADER_LEN].copy_from_slice(&head);
        if let Err(error) = self.file.write_all_at(&self.frame, self.length) {
            // Part of the frame may be written. If it cannot be truncated, nothing may be written after it.
            let error = unavailable("write", &self.path)(error);
            return Err(AppendError { error, permanent: self.truncate().is_err() });
        }
        // After a failed sync the content on disk is unknown, and a second sync would not report it.
        let synced = disk::sync_data(&self.file, &self.path).map_err(unavailable("sync", &self.path));
        synced.map_err(|error| AppendError { error, permanent: true })?;
        self.length += self.frame.len() as u64;
        self.frame.shrink_to(MAX_RETAINED_BYTES);
        Ok(())
    }

    /// Truncates the file to the last frame that counts.
    pub(crate) fn truncate(&self) -> Result<(), SpanStoreError> {
        self.file.set_len(self.length).map_err(unavailable("truncate", &self.path))?;
        disk::sync(&self.file, &self.path).map_err(unavailable("sync", &self.path))
    }
}

/// Buffer capacity that is kept after a large group.
const MAX_RETAINED_BYTES: usize = 16 << 20;

/// Reason for a failed append.
pub(crate) struct AppendError {
    pub(crate) error: SpanStoreError,
    /// Whether all later appends to this file must fail, too.
    pub(crate) permanent: bool,
}
