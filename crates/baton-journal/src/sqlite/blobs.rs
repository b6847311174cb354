//! Blobs by digest.

use super::{
    error::{JobError, from_sql},
    writer::JournalWriter,
};
use baton_ports::{Blob, JournalError};
use baton_types::Digest;
use rusqlite::{Connection, OptionalExtension as _, params};

/// A SHA-256 digest as stored: half the size of its hex form.
pub(super) type RawDigest = [u8; 32];

const PIN: &str = "INSERT INTO blobs (digest, pinned, bytes) VALUES (?1, 1, ?2) \
     ON CONFLICT (digest) DO UPDATE SET pinned = 1 WHERE pinned = 0";
const FIND: &str = "SELECT bytes FROM blobs WHERE digest = ?1";

/// The stored form of a digest; `None` for text that is not 64 hex digits.
pub(super) fn raw_digest(digest: &Digest) -> Option<RawDigest> {
    let hex = digest.as_str().as_bytes();
    let mut raw = [0; 32];
    if hex.len() != 2 * raw.len() {
        return None;
    }
    for (byte, pair) in raw.iter_mut().zip(hex.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(raw)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl JournalWriter {
    /// Stores bytes that are kept even if no event refers to them.
    pub(super) fn pin(&self, digest: &RawDigest, bytes: &[u8]) -> Result<(), JobError> {
        self.connection.prepare_cached(PIN)?.execute(params![digest, bytes])?;
        Ok(())
    }
}

pub(super) fn find(connection: &Connection, digest: &RawDigest) -> Result<Option<Blob>, JournalError> {
    let find = || -> rusqlite::Result<Option<Blob>> {
        let mut find = connection.prepare_cached(FIND)?;
        find.query_row(params![digest], |row| Ok(Blob::from(row.get_ref(0)?.as_blob()?))).optional()
    };
    find().map_err(|error| from_sql(&error))
}
