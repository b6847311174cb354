//! Retention: deletion of ended streams.
//!
//! A reader selects the streams, so that the writer never scans; the writer then removes a few streams per transaction,
//! so that appends never wait for long. Freed pages are reused; the file does not shrink.
//!
//! Long bodies are removed with the last event or snapshot that refers to them. Blobs stored through the port (agent
//! definitions) are pinned and stay: runs refer to them inside event bodies, which the journal does not read, and their
//! number is limited by the number of definitions. Outbox entries and claims are removed with their stream, but an open
//! outbox entry keeps its stream, because a delivery is pending. The session stream of a conversation is removed after
//! the last of its tasks.

use super::{
    blobs::RawDigest,
    error::{JobError, from_sql},
    rows::{limit, noun_code, to_int},
    writer::JournalWriter,
};
use baton_ports::{JournalError, RetentionPolicy};
use baton_types::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// Number of streams removed in one transaction.
pub(super) const MAX_STREAMS_PER_TRANSACTION: usize = 128;

/// Maximum number of blobs per read, and so per sweep transaction.
const BLOB_PAGE_SIZE: usize = 1_024;

/// Maximum number of streams removed by one call; the next call continues.
const MAX_REMOVED_STREAMS: u64 = 1_000_000;

/// The oldest of the ended tasks to keep; handoffs are removed with the tasks of their time.
const OLDEST_KEPT: &str = "SELECT status_at, key FROM streams WHERE noun = ?1 AND terminal = 1 AND active = 0 \
     ORDER BY status_at DESC, key DESC LIMIT 1 OFFSET ?2";
const OLDER: &str = "SELECT key FROM streams WHERE terminal = 1 AND active = 0 \
     AND (status_at < ?1 OR (status_at, key) < (?2, ?3)) AND status_at < ?4 \
     AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.stream = streams.key AND outbox.open = 1) \
     AND (noun <> ?6 OR NOT EXISTS (SELECT 1 FROM streams AS t WHERE t.owner = streams.owner AND t.noun = ?7 \
         AND t.context = streams.context AND t.agent = streams.agent)) \
     ORDER BY status_at, key LIMIT ?5";

pub(super) const FIND_REMOVABLE: &str = "SELECT 1 FROM streams WHERE key = ?1 AND terminal = 1 AND active = 0 \
     AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.stream = ?1 AND outbox.open = 1)";
const FORGET_STREAM: &str = "DELETE FROM streams WHERE key = ?1";
pub(super) const FORGET_EVENTS: &str = "DELETE FROM events WHERE stream = ?1";
const FORGET_SNAPSHOT: &str = "DELETE FROM snapshots WHERE stream = ?1";
const FORGET_ORDERS: &str = "DELETE FROM outbox WHERE stream = ?1";
const FORGET_CLAIMS: &str = "DELETE FROM claims WHERE stream = ?1";
pub(super) const FORGET_REST: [&str; 4] = [FORGET_STREAM, FORGET_SNAPSHOT, FORGET_ORDERS, FORGET_CLAIMS];
pub(super) const KEEP_COUNTERS: &str = "UPDATE floor SET last_seq = ?1, last_key = ?2";
const UNPINNED_BLOBS: &str = "SELECT digest, NOT EXISTS (SELECT 1 FROM events WHERE events.blob = blobs.digest) \
     AND NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.blob = blobs.digest) FROM blobs \
     WHERE pinned = 0 AND digest > ?1 ORDER BY digest LIMIT ?2";
pub(super) const SWEEP: &str = "DELETE FROM blobs WHERE digest = ?1 AND pinned = 0 \
     AND NOT EXISTS (SELECT 1 FROM events WHERE events.blob = ?1) \
     AND NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.blob = ?1)";

/// The keys of the streams that the policy selects for removal.
pub(super) fn candidates(connection: &Connection, policy: &RetentionPolicy) -> Result<Vec<i64>, JournalError> {
    choose(connection, policy).map_err(|error| from_sql(&error))
}

fn choose(connection: &Connection, policy: &RetentionPolicy) -> rusqlite::Result<Vec<i64>> {
    let view = connection.unchecked_transaction()?;
    let no_bound = (i64::MIN, i64::MIN);
    let keep_bound: (i64, i64) = match policy.keep_ended {
        None => no_bound,
        Some(0) => (i64::MAX, i64::MAX),
        Some(keep) => view
            .query_row(OLDEST_KEPT, params![noun_code("task"), to_int(keep - 1)], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
            .unwrap_or(no_bound),
    };
    let ended_before = policy.ended_before.map_or(i64::MIN, Timestamp::as_millis);
    let keep_since = policy.keep_since.map_or(i64::MAX, Timestamp::as_millis);
    let mut older = view.prepare(OLDER)?;
    let (session, task) = (noun_code("session"), noun_code("task"));
    let bounds =
        params![ended_before, keep_bound.0, keep_bound.1, keep_since, to_int(MAX_REMOVED_STREAMS), session, task];
    older.query_map(bounds, |row| row.get(0))?.collect()
}

/// A page of unpinned blobs: the unreferenced ones, and the start of the next page.
pub(super) struct UnpinnedBlobPage {
    pub(super) orphans: Vec<RawDigest>,
    pub(super) next: Option<RawDigest>,
}

/// The page after this digest.
pub(super) fn unpinned_blobs(
    connection: &Connection,
    after: Option<RawDigest>,
) -> Result<UnpinnedBlobPage, JournalError> {
    let page = || -> rusqlite::Result<UnpinnedBlobPage> {
        let mut select = connection.prepare_cached(UNPINNED_BLOBS)?;
        let after = after.as_ref().map_or(&[][..], |digest| &digest[..]);
        let row = |row: &Row<'_>| Ok((row.get::<_, RawDigest>(0)?, row.get::<_, bool>(1)?));
        let rows: Vec<(RawDigest, bool)> =
            select.query_map(params![after, limit(BLOB_PAGE_SIZE)], row)?.collect::<rusqlite::Result<_>>()?;
        let next = rows.last().filter(|_| rows.len() == BLOB_PAGE_SIZE).map(|(digest, _)| *digest);
        Ok(UnpinnedBlobPage {
            orphans: rows.into_iter().filter(|(_, orphan)| *orphan).map(|(digest, _)| digest).collect(),
            next,
        })
    };
    page().map_err(|error| from_sql(&error))
}

/// Removes a stream with all its rows; returns the number of removed events.
pub(super) fn remove_stream_rows(connection: &Connection, key: i64) -> rusqlite::Result<usize> {
    for forget in FORGET_REST {
        connection.prepare_cached(forget)?.execute(params![key])?;
    }
    connection.prepare_cached(FORGET_EVENTS)?.execute(params![key])
}

impl JournalWriter {
    /// Removes these streams with all their rows, except unfinished streams and streams with an open outbox entry.
    pub(super) fn remove_streams(&mut self, keys: &[i64]) -> Result<u64, JobError> {
        let mut removed = 0;
        for key in keys {
            if self.connection.prepare_cached(FIND_REMOVABLE)?.exists(params![key])? {
                remove_stream_rows(&self.connection, *key)?;
                removed += 1;
            }
        }
        self.save_counters()?;
        self.heads.clear();
        Ok(removed)
    }

    /// Stores the counters, so that numbers are not reused.
    pub(super) fn save_counters(&self) -> rusqlite::Result<()> {
        self.connection.prepare_cached(KEEP_COUNTERS)?.execute(params![self.last_seq, self.last_key])?;
        Ok(())
    }

    /// Removes those of these blobs that nothing refers to.
    pub(super) fn sweep(&self, digests: &[RawDigest]) -> Result<(), JobError> {
        let mut sweep = self.connection.prepare_cached(SWEEP)?;
        for digest in digests {
            sweep.execute(params![digest])?;
        }
        Ok(())
    }
}
