//! Forgetting ended streams.
//!
//! A reader chooses, so that the writer never scans; the writer then removes a few streams in each transaction, so
//! that appends never wait for long. Freed pages are used again, and the file does not shrink.
//!
//! Long bodies go with the last event or snapshot that refers to them. Bytes stored by digest through the port (agent
//! definitions) are pinned and stay: runs name them inside event bodies, which the journal does not read, and there are
//! only as many as there were definitions. Deliveries owed stay until settled, also when their stream is gone.

use super::{
    error::{Failure, from_sql},
    rows::to_int,
    writer::Writer,
};
use baton_ports::{JournalError, RetentionPolicy};
use rusqlite::{Connection, params};

/// Streams removed in one transaction.
pub(super) const FORGET_AT_ONCE: usize = 128;

/// Streams removed by one call; the next call goes on.
const MAX_FORGOTTEN: u64 = 1_000_000;

const COUNT_ENDED: &str = "SELECT count(*) FROM streams WHERE terminal = 1 AND active = 0";
const OLDEST_ENDED: &str = "SELECT key FROM streams WHERE terminal = 1 AND active = 0 ORDER BY status_at, key LIMIT ?1";
const ENDED_BEFORE: &str = "SELECT key FROM streams WHERE terminal = 1 AND active = 0 AND status_at < ?1 \
     ORDER BY status_at, key LIMIT ?2";

const FORGET_STREAM: &str = "DELETE FROM streams WHERE key = ?1 AND terminal = 1 AND active = 0";
const FORGET_EVENTS: &str = "DELETE FROM events WHERE stream = ?1";
const FORGET_SNAPSHOT: &str = "DELETE FROM snapshots WHERE stream = ?1";
const KEEP_COUNTERS: &str = "UPDATE floor SET last_seq = ?1, last_key = ?2";
const SWEEP: &str = "DELETE FROM blobs WHERE pinned = 0 \
     AND NOT EXISTS (SELECT 1 FROM events WHERE events.blob = blobs.digest) \
     AND NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.blob = blobs.digest)";

/// The keys of the streams that the policy lets go.
pub(super) fn candidates(connection: &Connection, policy: &RetentionPolicy) -> Result<Vec<i64>, JournalError> {
    choose(connection, policy).map_err(|error| from_sql(&error))
}

fn choose(connection: &Connection, policy: &RetentionPolicy) -> rusqlite::Result<Vec<i64>> {
    let view = connection.unchecked_transaction()?;
    let by_age: Vec<i64> = match policy.ended_before {
        Some(moment) => {
            let mut oldest = view.prepare(ENDED_BEFORE)?;
            oldest
                .query_map(params![moment.as_millis(), to_int(MAX_FORGOTTEN)], |row| row.get(0))?
                .collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    let Some(keep) = policy.keep_ended else { return Ok(by_age) };
    let ended: i64 = view.query_row(COUNT_ENDED, [], |row| row.get(0))?;
    let beyond = ended.saturating_sub(to_int(keep)).min(to_int(MAX_FORGOTTEN));
    if beyond <= to_int(by_age.len() as u64) {
        return Ok(by_age);
    }
    // Both rules take the oldest first, so the longer list contains the shorter.
    let mut oldest = view.prepare(OLDEST_ENDED)?;
    oldest.query_map(params![beyond], |row| row.get(0))?.collect()
}

impl Writer {
    /// Removes these streams with everything that belongs to them; an unfinished one stays whatever the caller says.
    pub(super) fn forget(&mut self, keys: &[i64]) -> Result<u64, Failure> {
        let mut forgotten = 0;
        for key in keys {
            if self.connection.prepare_cached(FORGET_STREAM)?.execute(params![key])? == 0 {
                continue;
            }
            self.connection.prepare_cached(FORGET_EVENTS)?.execute(params![key])?;
            self.connection.prepare_cached(FORGET_SNAPSHOT)?.execute(params![key])?;
            forgotten += 1;
        }
        self.connection.prepare_cached(KEEP_COUNTERS)?.execute(params![self.last_seq, self.last_key])?;
        self.heads.clear();
        Ok(forgotten)
    }

    /// Removes the blobs that nothing refers to any more.
    pub(super) fn sweep(&self) -> Result<(), Failure> {
        self.connection.execute(SWEEP, [])?;
        Ok(())
    }
}
