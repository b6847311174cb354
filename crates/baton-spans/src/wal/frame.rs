//! Format of a log file: a header with a marker, then frames that each begin with that marker.
//!
//! The marker is random, so that the content of a span cannot look like a frame.

use std::ops::Range;

const MAGIC: &[u8; 8] = b"BATONLOG";
const VERSION: u32 = 1;

/// Length of the file header in bytes.
pub(super) const FILE_HEADER_LEN: usize = 24;
/// Length of a frame header in bytes.
pub(super) const FRAME_HEADER_LEN: usize = 16;

/// Leading bytes of every frame of a file.
pub(super) type FrameMarker = [u8; 8];

pub(super) fn file_head(marker: FrameMarker) -> [u8; FILE_HEADER_LEN] {
    let mut head = [0; FILE_HEADER_LEN];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[12..20].copy_from_slice(&marker);
    let check = crc32fast::hash(&head[..20]);
    head[20..].copy_from_slice(&check.to_le_bytes());
    head
}

/// Defect of a file header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileHeaderError {
    Foreign,
    Newer(u32),
    Damaged,
}

pub(super) fn read_file_head(head: &[u8; FILE_HEADER_LEN]) -> Result<FrameMarker, FileHeaderError> {
    if head[..8] != *MAGIC {
        return Err(FileHeaderError::Foreign);
    }
    if crc32fast::hash(&head[..20]) != number(head, 20) {
        return Err(FileHeaderError::Damaged);
    }
    match number(head, 8) {
        VERSION => {
            let mut marker = [0; 8];
            marker.copy_from_slice(&head[12..20]);
            Ok(marker)
        }
        newer => Err(FileHeaderError::Newer(newer)),
    }
}

/// Header of a frame; `None` if the payload is too long.
pub(super) fn frame_head(marker: FrameMarker, payload: &[u8]) -> Option<[u8; FRAME_HEADER_LEN]> {
    let length = u32::try_from(payload.len()).ok()?.to_le_bytes();
    let mut head = [0; FRAME_HEADER_LEN];
    head[..8].copy_from_slice(&marker);
    head[8..12].copy_from_slice(&length);
    head[12..].copy_from_slice(&frame_crc(length, payload).to_le_bytes());
    Some(head)
}

fn frame_crc(length: [u8; 4], payload: &[u8]) -> u32 {
    let mut hash = crc32fast::Hasher::new();
    hash.update(&length);
    hash.update(payload);
    hash.finalize()
}

/// Payload length according to a frame header.
pub(super) fn payload_length(head: &[u8; FRAME_HEADER_LEN], marker: FrameMarker) -> Option<u32> {
    (head[..8] == marker).then(|| number(head, 8))
}

/// Range of the payload of the frame at that offset, if the frame is intact.
pub(super) fn frame_at(bytes: &[u8], at: usize, marker: FrameMarker) -> Option<Range<usize>> {
    let head = bytes.get(at..at.checked_add(FRAME_HEADER_LEN)?)?;
    if head[..8] != marker {
        return None;
    }
    let length = usize::try_from(number(head, 8)).ok()?;
    let start = at + FRAME_HEADER_LEN;
    let payload = start..start.checked_add(length)?;
    let is_valid = frame_crc([head[8], head[9], head[10], head[11]], bytes.get(payload.clone())?) == number(head, 12);
    is_valid.then_some(payload)
}

/// Offset of the next intact frame after that offset.
pub(super) fn next_frame_offset(bytes: &[u8], at: usize, marker: FrameMarker) -> Option<usize> {
    (at + 1..bytes.len().saturating_sub(FRAME_HEADER_LEN - 1))
        .find(|offset| bytes[*offset] == marker[0] && frame_at(bytes, *offset, marker).is_some())
}

/// The marker in a file header, even if the rest of the header is damaged.
pub(super) fn marker_in(head: &[u8]) -> Option<FrameMarker> {
    head.get(12..20)?.try_into().ok()
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
