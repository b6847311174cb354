//! Files of a block: written sequentially, then read at offsets.

use crate::disk::unavailable;
use baton_span_ports::SpanStoreError;
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// A range of a file with its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileExtent {
    pub(super) offset: u64,
    pub(super) len: u32,
    pub(super) crc: u32,
}

/// A file being written.
pub(super) struct BlockFileWriter {
    out: BufWriter<File>,
    len: u64,
    path: PathBuf,
}

impl BlockFileWriter {
    /// Creates a new file, readable by the owner only.
    pub(super) fn create(path: PathBuf) -> Result<Self, SpanStoreError> {
        let file = File::options().write(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(unavailable("create", &path))?;
        Ok(Self { out: BufWriter::with_capacity(1 << 18, file), len: 0, path })
    }

    /// Appends bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<FileExtent, SpanStoreError> {
        let len = u32::try_from(bytes.len())
            .map_err(|_| SpanStoreError::Unavailable("a part of a block is too large to be written".to_owned()))?;
        self.out.write_all(bytes).map_err(unavailable("write", &self.path))?;
        let at = FileExtent { offset: self.len, len, crc: crc32fast::hash(bytes) };
        self.len += u64::from(len);
        Ok(at)
    }

    /// Flushes and syncs the file; returns its length.
    pub(super) fn finish(mut self) -> Result<u64, SpanStoreError> {
        self.out.flush().map_err(unavailable("write", &self.path))?;
        self.out.get_ref().sync_all().map_err(unavailable("sync", &self.path))?;
        Ok(self.len)
    }
}

/// A file that is read at offsets.
pub(super) struct BlockFileReader {
    file: File,
    len: u64,
    path: PathBuf,
}

impl BlockFileReader {
    /// Opens a file that must exist.
    pub(super) fn open(path: PathBuf) -> Result<Self, SpanStoreError> {
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((len, file)) => Ok(Self { file, len, path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(corrupt(&path, "it is missing")),
            Err(error) => Err(unavailable("open", &path)(error)),
        }
    }

    /// Length of the file.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the range is within the file.
    pub(super) fn contains(&self, at: FileExtent) -> bool {
        at.offset.checked_add(u64::from(at.len)).is_some_and(|end| end <= self.len)
    }

    /// Reads a range and verifies its checksum.
    pub(super) fn read(&self, at: FileExtent) -> Result<Vec<u8>, SpanStoreError> {
        let mut bytes = Vec::new();
        self.read_into(at, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a range into the buffer, replacing its content.
    pub(super) fn read_into(&self, at: FileExtent, bytes: &mut Vec<u8>) -> Result<(), SpanStoreError> {
        if !self.contains(at) {
            return Err(self.corrupt("it is too short"));
        }
        bytes.resize(at.len as usize, 0);
        self.file.read_exact_at(bytes, at.offset).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.corrupt("it is too short"),
            _ => unavailable("read", &self.path)(error),
        })?;
        if crc32fast::hash(bytes) != at.crc {
            return Err(self.corrupt("the checksum does not match"));
        }
        Ok(())
    }

    /// Error for a damaged file.
    pub(super) fn corrupt(&self, problem: &str) -> SpanStoreError {
        corrupt(&self.path, problem)
    }
}

/// Error for a damaged file.
pub(super) fn corrupt(path: &Path, problem: &str) -> SpanStoreError {
    SpanStoreError::Corrupt(format!("{}: {problem}", path.display()))
}
