//! Forgetting ended streams.
//!
//! A reader chooses, so that the writer never scans; the writer then removes a few streams in each transaction, so
//! that appends never wait for long. Freed pages are used again, and the file does not shrink.
//!
//! Long bodies go with the last event or snapshot that refers to them. Bytes stored by digest through the port (agent
//! definitions) are pinned and stay: runs name them inside event bodies, which the journal does not read, and there are
//! only as many as there were definitions. Standing orders and claims go with their stream, but an open order keeps it:
//! somebody outside is still to be told how it ended. What was said about a conversation as a whole goes after the last
//! of its tasks.

use super::{
    blobs::RawDigest,
    error::{Failure, from_sql},
    rows::{limit, noun_code, to_int},
    writer::Writer,
};
use baton_ports::{JournalError, RetentionPolicy};
use baton_types::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// Streams removed in one transaction.
pub(super) const FORGET_AT_ONCE: usize = 128;

/// Blobs looked at by one read, and so removed by one transaction at most.
const MAX_LOOSE: usize = 1_024;

/// Streams removed by one call; the next call goes on.
const MAX_FORGOTTEN: u64 = 1_000_000;

/// The oldest of so many ended tasks; handoffs go with the tasks of their time.
const OLDEST_KEPT: &str = "SELECT status_at, key FROM streams WHERE noun = ?1 AND terminal = 1 AND active = 0 \
     ORDER BY status_at DESC, key DESC LIMIT 1 OFFSET ?2";
const OLDER: &str = "SELECT key FROM streams WHERE terminal = 1 AND active = 0 \
     AND (status_at < ?1 OR (status_at, key) < (?2, ?3)) AND status_at < ?4 \
     AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.stream = streams.key AND outbox.open = 1) \
     AND (noun <> ?6 OR NOT EXISTS (SELECT 1 FROM streams AS t WHERE t.owner = streams.owner AND t.noun = ?7 \
         AND t.context = streams.context AND t.agent = streams.agent)) \
     ORDER BY status_at, key LIMIT ?5";

pub(super) const MAY_GO: &str = "SELECT 1 FROM streams WHERE key = ?1 AND terminal = 1 AND active = 0 \
     AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.stream = ?1 AND outbox.open = 1)";
const FORGET_STREAM: &str = "DELETE FROM streams WHERE key = ?1";
pub(super) const FORGET_EVENTS: &str = "DELETE FROM events WHERE stream = ?1";
const FORGET_SNAPSHOT: &str = "DELETE FROM snapshots WHERE stream = ?1";
const FORGET_ORDERS: &str = "DELETE FROM outbox WHERE stream = ?1";
const FORGET_CLAIMS: &str = "DELETE FROM claims WHERE stream = ?1";
pub(super) const FORGET_REST: [&str; 4] = [FORGET_STREAM, FORGET_SNAPSHOT, FORGET_ORDERS, FORGET_CLAIMS];
pub(super) const KEEP_COUNTERS: &str = "UPDATE floor SET last_seq = ?1, last_key = ?2";
const LOOSE: &str = "SELECT digest, NOT EXISTS (SELECT 1 FROM events WHERE events.blob = blobs.digest) \
     AND NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.blob = blobs.digest) FROM blobs \
     WHERE pinned = 0 AND digest > ?1 ORDER BY digest LIMIT ?2";
pub(super) const SWEEP: &str = "DELETE FROM blobs WHERE digest = ?1 AND pinned = 0 \
     AND NOT EXISTS (SELECT 1 FROM events WHERE events.blob = ?1) \
     AND NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.blob = ?1)";

/// The keys of the streams that the policy lets go.
pub(super) fn candidates(connection: &Connection, policy: &RetentionPolicy) -> Result<Vec<i64>, JournalError> {
    choose(connection, policy).map_err(|error| from_sql(&error))
}

fn choose(connection: &Connection, policy: &RetentionPolicy) -> rusqlite::Result<Vec<i64>> {
    let view = connection.unchecked_transaction()?;
    let nothing = (i64::MIN, i64::MIN);
    let kept: (i64, i64) = match policy.keep_ended {
        None => nothing,
        Some(0) => (i64::MAX, i64::MAX),
        Some(keep) => view
            .query_row(OLDEST_KEPT, params![noun_code("task"), to_int(keep - 1)], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
            .unwrap_or(nothing),
    };
    let age = policy.ended_before.map_or(i64::MIN, Timestamp::as_millis);
    let spared = policy.spare_from.map_or(i64::MAX, Timestamp::as_millis);
    let mut older = view.prepare(OLDER)?;
    let (session, task) = (noun_code("session"), noun_code("task"));
    let bounds = params![age, kept.0, kept.1, spared, to_int(MAX_FORGOTTEN), session, task];
    older.query_map(bounds, |row| row.get(0))?.collect()
}

/// A page of blobs that are not pinned: those that nothing refers to, and where the next page begins.
pub(super) struct LoosePage {
    pub(super) orphans: Vec<RawDigest>,
    pub(super) next: Option<RawDigest>,
}

/// The page after that digest.
pub(super) fn loose_blobs(connection: &Connection, after: Option<RawDigest>) -> Result<LoosePage, JournalError> {
    let page = || -> rusqlite::Result<LoosePage> {
        let mut select = connection.prepare_cached(LOOSE)?;
        let after = after.as_ref().map_or(&[][..], |digest| &digest[..]);
        let row = |row: &Row<'_>| Ok((row.get::<_, RawDigest>(0)?, row.get::<_, bool>(1)?));
        let rows: Vec<(RawDigest, bool)> =
            select.query_map(params![after, limit(MAX_LOOSE)], row)?.collect::<rusqlite::Result<_>>()?;
        let next = rows.last().filter(|_| rows.len() == MAX_LOOSE).map(|(digest, _)| *digest);
        Ok(LoosePage {
            orphans: rows.into_iter().filter(|(_, orphan)| *orphan).map(|(digest, _)| digest).collect(),
            next,
        })
    };
    page().map_err(|error| from_sql(&error))
}

/// Removes a stream with everything that belongs to it; how many events went.
pub(super) fn forget_key(connection: &Connection, key: i64) -> rusqlite::Result<usize> {
    for forget in FORGET_REST {
        connection.prepare_cached(forget)?.execute(params![key])?;
    }
    connection.prepare_cached(FORGET_EVENTS)?.execute(params![key])
}

impl Writer {
    /// Removes these streams with everything that belongs to them; one that is unfinished or owes something stays,
    /// whatever the caller says.
    pub(super) fn forget(&mut self, keys: &[i64]) -> Result<u64, Failure> {
        let mut forgotten = 0;
        for key in keys {
            if self.connection.prepare_cached(MAY_GO)?.exists(params![key])? {
                forget_key(&self.connection, *key)?;
                forgotten += 1;
            }
        }
        self.keep_counters()?;
        self.heads.clear();
        Ok(forgotten)
    }

    /// Sees to it that numbers are not given out again.
    pub(super) fn keep_counters(&self) -> rusqlite::Result<()> {
        self.connection.prepare_cached(KEEP_COUNTERS)?.execute(params![self.last_seq, self.last_key])?;
        Ok(())
    }

    /// Removes those of these blobs that nothing refers to any more.
    pub(super) fn sweep(&self, digests: &[RawDigest]) -> Result<(), Failure> {
        let mut sweep = self.connection.prepare_cached(SWEEP)?;
        for digest in digests {
            sweep.execute(params![digest])?;
        }
        Ok(())
    }
}
