//! Encodes a commit in its caller's thread, so that the writer only binds and executes.

use super::blobs::{RawDigest, raw_digest};
use crate::stored_events::into_stored_events;
use baton_ports::{Commit, JournalError, StoredEvent};
use baton_types::{Digest, Json, JsonError};
use std::sync::Arc;

/// Bodies longer than this are stored as deduplicated blobs.
pub(super) const INLINE_LIMIT: usize = 65_536;

/// Approximate size of a row without its body, for the queue's byte limit.
const ROW_OVERHEAD: usize = 256;

/// Text stored in its row, or as a blob if it is long.
pub(super) struct StoredBody {
    text: Json,
    digest: Option<RawDigest>,
}

impl StoredBody {
    fn new(text: Json) -> Self {
        let bytes = text.as_str().as_bytes();
        let digest = if bytes.len() > INLINE_LIMIT { raw_digest(&Digest::compute(bytes)) } else { None };
        Self { text, digest }
    }

    /// The text, if it is stored in the row.
    pub(super) fn inline(&self) -> Option<&str> {
        if self.digest.is_none() { Some(self.text.as_str()) } else { None }
    }

    /// Digest and bytes, if the text is stored as a blob.
    pub(super) fn blob(&self) -> Option<(&RawDigest, &[u8])> {
        self.digest.as_ref().map(|digest| (digest, self.text.as_str().as_bytes()))
    }
}

/// A commit with the stored form of its events and snapshots.
pub(super) struct EncodedCommit {
    pub(super) commit: Commit,
    /// One per event, over all writes in order.
    pub(super) bodies: Vec<StoredBody>,
    /// One per write.
    pub(super) snapshots: Vec<Option<StoredBody>>,
    /// Approximate size in memory and on disk.
    pub(super) bytes: usize,
}

impl EncodedCommit {
    pub(super) fn new(mut commit: Commit) -> Result<Self, JournalError> {
        let unreadable = |error: JsonError| JournalError::Unavailable(format!("an event cannot be encoded: {error}"));
        let mut bodies = Vec::with_capacity(commit.writes.iter().map(|write| write.facts.len()).sum());
        let mut snapshots = Vec::with_capacity(commit.writes.len());
        let mut bytes = ROW_OVERHEAD;
        for write in &mut commit.writes {
            for fact in &write.facts {
                let text = fact.encode().map_err(unreadable)?;
                bytes += ROW_OVERHEAD + text.as_str().len();
                bodies.push(StoredBody::new(text));
            }
            let snapshot = write.snapshot.take();
            bytes += ROW_OVERHEAD + snapshot.as_ref().map_or(0, |state| state.as_str().len());
            snapshots.push(snapshot.map(StoredBody::new));
        }
        bytes += commit.outbox.iter().map(|entry| ROW_OVERHEAD + entry.body.as_str().len()).sum::<usize>();
        bytes += commit.claims.iter().map(|claim| ROW_OVERHEAD + claim.key.len()).sum::<usize>();
        Ok(Self { commit, bodies, snapshots, bytes })
    }

    /// The stored events of the commit; `last_seq` is the sequence number of the last one.
    pub(super) fn into_events(self, last_seq: u64) -> Vec<Arc<StoredEvent>> {
        let mut events = Vec::with_capacity(self.bodies.len());
        let mut seq = last_seq.saturating_sub(self.bodies.len() as u64);
        for mut write in self.commit.writes {
            events.extend(into_stored_events(&mut write, seq));
            seq = events.last().map_or(seq, |event| event.seq);
        }
        events
    }
}
