//! Manifest of a block; written last, read first.

use super::file::{BlockFileReader, FileExtent, corrupt};
use crate::{block::BlockInputs, disk::unavailable};
use baton_span_ports::SpanStoreError;
use baton_types::SpanClass;
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};

/// File name of the manifest.
pub(super) const FILE_NAME: &str = "manifest";

const MAGIC: &[u8; 8] = b"batonspn";
/// Blocks of the first version have no row-level data.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=2;
/// Maximum length in bytes.
const MAX_LEN: u64 = 1 << 24;

/// Manifest of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BlockManifest {
    pub(super) class: SpanClass,
    pub(super) rows: u32,
    pub(super) traces: u32,
    /// Start of the first span.
    pub(super) start: u64,
    /// End of the last span.
    pub(super) end: u64,
    pub(super) covers: BlockInputs,
    /// Lengths of the other files.
    pub(super) index_len: u64,
    pub(super) raw_len: u64,
    /// Location of the directory in the index.
    pub(super) directory: FileExtent,
    /// Location of the row-level data in the index; appended since the second version.
    #[serde(skip)]
    pub(super) rows_known: Option<FileExtent>,
}

impl BlockManifest {
    /// Encodes the file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, SpanStoreError> {
        let failed = |error| SpanStoreError::Unavailable(format!("the manifest of a block cannot be encoded: {error}"));
        let mut body = postcard::to_stdvec(self).map_err(failed)?;
        let version = match self.rows_known {
            Some(at) => {
                body = postcard::to_extend(&at, body).map_err(failed)?;
                *VERSIONS.end()
            }
            None => *VERSIONS.start(),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// Reads the manifest of a block.
    pub(super) fn read(dir: &Path) -> Result<Self, SpanStoreError> {
        let path = dir.join(FILE_NAME);
        let source = BlockFileReader::open(path.clone())?;
        if source.len() > MAX_LEN {
            return Err(corrupt(&path, "it is too long"));
        }
        let bytes = fs::read(&path).map_err(unavailable("read", &path))?;
        let Some((magic, rest)) = bytes.split_first_chunk::<8>() else { return Err(corrupt(&path, "it is too short")) };
        let Some((version, rest)) = rest.split_first_chunk::<4>() else {
            return Err(corrupt(&path, "it is too short"));
        };
        let Some((crc, body)) = rest.split_first_chunk::<4>() else { return Err(corrupt(&path, "it is too short")) };
        if magic != MAGIC {
            return Err(corrupt(&path, "it is not the manifest of a block of spans"));
        }
        let version = u32::from_le_bytes(*version);
        if !VERSIONS.contains(&version) {
            return Err(corrupt(&path, "it was written by another version of Baton"));
        }
        if u32::from_le_bytes(*crc) != crc32fast::hash(body) {
            return Err(corrupt(&path, "the checksum does not match"));
        }
        let unreadable = |_| corrupt(&path, "it cannot be read");
        let (mut manifest, rest): (Self, _) = postcard::take_from_bytes(body).map_err(unreadable)?;
        // The trailing bytes must match the version, too: the version itself has no checksum.
        match (version > *VERSIONS.start(), rest) {
            (true, rest) => manifest.rows_known = Some(postcard::from_bytes(rest).map_err(unreadable)?),
            (false, []) => {}
            (false, _) => return Err(corrupt(&path, "it has trailing data that its version does not allow")),
        }
        Ok(manifest)
    }
}
