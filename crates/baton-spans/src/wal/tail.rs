//! Reads a log file frame by frame, also while it is written.

use super::{frame, read_entry};
use crate::disk::unavailable;
use baton_span_ports::SpanStoreError;
use baton_types::Span;
use std::{
    fs::File,
    io,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

/// Reader of one log file; the file may be moved or deleted meanwhile.
pub(crate) struct LogTail {
    file: File,
    path: PathBuf,
    marker: frame::FrameMarker,
    at: u64,
}

impl LogTail {
    /// Opens a file; `None` if it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, SpanStoreError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unavailable("open", path)(error)),
        };
        let mut head = [0; frame::FILE_HEADER_LEN];
        let foreign = || SpanStoreError::Corrupt(format!("{} is not a log file", path.display()));
        file.read_exact_at(&mut head, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => foreign(),
            _ => unavailable("read", path)(error),
        })?;
        let marker = frame::read_file_head(&head).map_err(|_| foreign())?;
        Ok(Some(Self { file, path: path.to_owned(), marker, at: frame::FILE_HEADER_LEN as u64 }))
    }

    /// Random marker of this file.
    pub(crate) fn marker(&self) -> [u8; 8] {
        self.marker
    }

    /// Offset of the next frame.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Seeks to the start of a frame.
    pub(crate) fn seek(&mut self, at: u64) {
        self.at = at.max(frame::FILE_HEADER_LEN as u64);
    }

    /// Length of the file.
    pub(crate) fn length(&self) -> Result<u64, SpanStoreError> {
        Ok(self.file.metadata().map_err(unavailable("inspect", &self.path))?.len())
    }

    /// The spans of the next frame, unless there is none before `end`.
    pub(crate) fn next(&mut self, end: u64) -> Result<Option<Vec<Span>>, SpanStoreError> {
        let mut head = [0; frame::FRAME_HEADER_LEN];
        if self.at + frame::FRAME_HEADER_LEN as u64 > end {
            return Ok(None);
        }
        self.file.read_exact_at(&mut head, self.at).map_err(unavailable("read", &self.path))?;
        let length = frame::payload_length(&head, self.marker).ok_or_else(|| self.damaged())?;
        let next = self.at + frame::FRAME_HEADER_LEN as u64 + u64::from(length);
        if next > end {
            return Err(self.damaged());
        }
        let mut bytes = head.to_vec();
        bytes.resize(frame::FRAME_HEADER_LEN + usize::try_from(length).map_err(|_| self.damaged())?, 0);
        self.file.read_exact_at(&mut bytes, self.at).map_err(unavailable("read", &self.path))?;
        let payload = frame::frame_at(&bytes, 0, self.marker).ok_or_else(|| self.damaged())?;
        let mut rest = &bytes[payload];
        let mut spans = Vec::new();
        while !rest.is_empty() {
            spans.extend(read_entry(&mut rest)?.spans);
        }
        self.at = next;
        Ok(Some(spans))
    }

    fn damaged(&self) -> SpanStoreError {
        SpanStoreError::Corrupt(format!("{} cannot be read at byte {}", self.path.display(), self.at))
    }
}
