//! Small entries compressed together in frames; an entry is identified by its number.

use super::file::{BlockFileReader, BlockFileWriter, FileExtent};
use baton_span_ports::SpanStoreError;
use serde::{Deserialize, Serialize};
use std::{cell::RefCell, io};
use zstd::bulk::{Compressor, Decompressor};

/// Maximum uncompressed size of a frame.
const MAX_FRAME_LEN: u32 = 1 << 30;

/// One compressed frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CompressedFrame {
    at: FileExtent,
    /// Uncompressed length.
    whole: u32,
    /// Number of its first entry.
    first: u32,
}

/// Locations of entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FrameDirectory {
    frames: Vec<CompressedFrame>,
    entries: u32,
}

/// Writes entries into frames.
pub(super) struct FrameWriter {
    compressor: Compressor<'static>,
    pending: Vec<u8>,
    first: u32,
    target: usize,
    written: FrameDirectory,
}

impl FrameWriter {
    /// Writes frames of about `target` bytes.
    pub(super) fn new(target: usize, level: i32) -> Result<Self, SpanStoreError> {
        let compressor = Compressor::new(level).map_err(|error| compression_error(&error))?;
        Ok(Self { compressor, pending: Vec::new(), first: 0, target, written: FrameDirectory::default() })
    }

    /// Adds an entry that consists of several parts.
    pub(super) fn push(&mut self, out: &mut BlockFileWriter, parts: &[&[u8]]) -> Result<(), SpanStoreError> {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let len = u32::try_from(len).ok().filter(|len| *len < MAX_FRAME_LEN / 2);
        let len = len.ok_or_else(|| SpanStoreError::Unavailable("a span is too large to be stored".to_owned()))?;
        if self.pending.len() + len as usize > 4 * self.target {
            self.flush(out)?;
        }
        self.pending.extend_from_slice(&len.to_le_bytes());
        for part in parts {
            self.pending.extend_from_slice(part);
        }
        self.written.entries += 1;
        Ok(())
    }

    /// Marks a boundary between entries that are read separately; ends the frame if it is large enough.
    pub(super) fn end_group(&mut self, out: &mut BlockFileWriter) -> Result<(), SpanStoreError> {
        if self.pending.len() >= self.target { self.flush(out) } else { Ok(()) }
    }

    fn flush(&mut self, out: &mut BlockFileWriter) -> Result<(), SpanStoreError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let compressed = self.compressor.compress(&self.pending).map_err(|error| compression_error(&error))?;
        let length = self.pending.len() as u32;
        self.written.frames.push(CompressedFrame { at: out.put(&compressed)?, whole: length, first: self.first });
        self.first = self.written.entries;
        self.pending.clear();
        Ok(())
    }

    /// Writes the last frame.
    pub(super) fn finish(mut self, out: &mut BlockFileWriter) -> Result<FrameDirectory, SpanStoreError> {
        self.flush(out)?;
        Ok(self.written)
    }
}

fn compression_error(error: &std::io::Error) -> SpanStoreError {
    SpanStoreError::Unavailable(format!("spans cannot be compressed: {error}"))
}

impl FrameDirectory {
    /// Whether the frames are consistent with the file.
    pub(super) fn is_consistent(&self, source: &BlockFileReader, entries: Option<u32>) -> bool {
        let starts = self.frames.first().is_none_or(|frame| frame.first == 0);
        let rises = self.frames.is_sorted_by(|one, next| one.first < next.first);
        let ends = self.frames.last().map_or(self.entries == 0, |frame| frame.first < self.entries);
        let there = self.frames.iter().all(|frame| frame.whole <= MAX_FRAME_LEN && source.contains(frame.at));
        starts && rises && ends && there && entries.is_none_or(|entries| entries == self.entries)
    }

    /// Number of entries.
    pub(super) fn entries(&self) -> u32 {
        self.entries
    }

    /// Number of the frame that holds an entry.
    pub(super) fn frame_of(&self, entry: u32) -> Option<usize> {
        if entry >= self.entries {
            return None;
        }
        self.frames.partition_point(|frame| frame.first <= entry).checked_sub(1)
    }

    /// Number of the first entry of a frame.
    pub(super) fn first(&self, frame: usize) -> u32 {
        self.frames.get(frame).map_or(self.entries, |frame| frame.first)
    }

    /// Compressed length of a frame.
    pub(super) fn len(&self, frame: usize) -> u64 {
        self.frames.get(frame).map_or(0, |frame| u64::from(frame.at.len))
    }

    /// Reads and decompresses a frame.
    pub(super) fn read(&self, source: &BlockFileReader, frame: usize) -> Result<Vec<u8>, SpanStoreError> {
        let frame = self.frames.get(frame).ok_or_else(|| source.corrupt("it has no such frame"))?;
        let compressed = source.read(frame.at)?;
        match decompress(&compressed, frame.whole as usize) {
            Ok(bytes) if bytes.len() == frame.whole as usize => Ok(bytes),
            _ => Err(source.corrupt("a frame cannot be decompressed")),
        }
    }
}

thread_local! {
    /// Reused: creating one takes about as long as reading a frame with it.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn decompress(bytes: &[u8], length: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|cached| {
        let mut decompressor = match cached.take() {
            Some(decompressor) => decompressor,
            None => Decompressor::new()?,
        };
        let read = decompressor.decompress(bytes, length)?;
        *cached = Some(decompressor);
        Ok(read)
    })
}

/// Takes the next entry from the front of the bytes of a frame.
pub(super) fn next_entry<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (entry, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    *bytes = rest;
    Some(entry)
}
