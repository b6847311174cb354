//! Replay of a log file at start.

use super::{WalEntry, frame, read_entry};
use crate::disk::unavailable;
use baton_span_ports::SpanStoreError;
use std::{fs, path::Path};

/// Whether a file may end in an incomplete frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFilePosition {
    /// The last file, where a crash leaves spans that were never acknowledged.
    Last,
    /// Other files follow, so it must be complete.
    Earlier,
}

/// Outcome of a replay.
#[derive(Debug)]
pub(crate) struct ReplaySummary {
    pub(crate) marker: [u8; 8],
    /// Length of the intact part.
    pub(crate) length: u64,
    /// Number of incomplete bytes after it.
    pub(crate) torn: u64,
}

/// Reads a file batch by batch.
pub(crate) fn replay(
    path: &Path,
    position: LogFilePosition,
    mut each: impl FnMut(WalEntry) -> Result<(), SpanStoreError>,
) -> Result<ReplaySummary, SpanStoreError> {
    let bytes = fs::read(path).map_err(unavailable("read", path))?;
    let marker = match bytes.first_chunk().map(frame::read_file_head) {
        Some(Ok(marker)) => marker,
        Some(Err(frame::FileHeaderError::Newer(version))) => {
            return Err(SpanStoreError::Unavailable(format!(
                "{} was written by a newer Baton (log version {version}); start that version",
                path.display()
            )));
        }
        Some(Err(frame::FileHeaderError::Foreign | frame::FileHeaderError::Damaged)) | None => {
            return Err(damaged(path, 0));
        }
    };
    let mut at = frame::FILE_HEADER_LEN;
    let mut frames = 0_u64;
    while let Some(payload) = frame::frame_at(&bytes, at, marker) {
        let mut rest = &bytes[payload.clone()];
        while !rest.is_empty() {
            let entry = read_entry(&mut rest).map_err(|_| damaged(path, at))?;
            each(entry)?;
        }
        at = payload.end;
        frames += 1;
    }
    let torn = bytes.len() - at;
    // A file gets its name after its first frame is synced, so the first frame cannot be torn.
    let is_damaged = frames == 0
        || torn > 0 && (position == LogFilePosition::Earlier || frame::next_frame_offset(&bytes, at, marker).is_some());
    if is_damaged {
        return Err(damaged(path, at));
    }
    Ok(ReplaySummary { marker, length: at as u64, torn: torn as u64 })
}

fn damaged(path: &Path, at: usize) -> SpanStoreError {
    SpanStoreError::Corrupt(format!(
        "{} is damaged at byte {at}; this is not the incomplete end that a crash leaves",
        path.display()
    ))
}

/// Reads every intact frame of a damaged file, wherever it begins. Returns the number of bytes outside of intact
/// frames.
pub(crate) fn salvage(
    path: &Path,
    mut each: impl FnMut(WalEntry) -> Result<(), SpanStoreError>,
) -> Result<u64, SpanStoreError> {
    let bytes = fs::read(path).map_err(unavailable("read", path))?;
    let Some(marker) = frame::marker_in(&bytes) else { return Ok(bytes.len() as u64) };
    let (mut at, mut lost_bytes) = (frame::FILE_HEADER_LEN, 0);
    while at < bytes.len() {
        let Some(payload) = frame::frame_at(&bytes, at, marker) else {
            let next = frame::next_frame_offset(&bytes, at, marker).unwrap_or(bytes.len());
            lost_bytes += next - at;
            at = next;
            continue;
        };
        let mut rest = &bytes[payload.clone()];
        while !rest.is_empty() {
            match read_entry(&mut rest) {
                Ok(entry) => each(entry)?,
                Err(_) => {
                    lost_bytes += rest.len();
                    break;
                }
            }
        }
        at = payload.end;
    }
    Ok(lost_bytes as u64)
}
