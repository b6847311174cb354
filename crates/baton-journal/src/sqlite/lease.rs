//! Lease acquisition, ordered with the appends before and after it.

use super::{
    error::JobError,
    job::LeaseRequest,
    rows::{from_int, noun_code, to_int},
    writer::JournalWriter,
};
use baton_ports::{JournalError, Lease};
use rusqlite::{OptionalExtension as _, params};

const FIND: &str = "SELECT key, epoch, lease_holder, lease_expires FROM streams WHERE noun = ?1 AND id = ?2";
const TAKE: &str = "UPDATE streams SET epoch = ?2, lease_holder = ?3, lease_expires = ?4 WHERE key = ?1";

impl JournalWriter {
    pub(super) fn acquire(&mut self, take: &LeaseRequest) -> Result<Lease, JobError> {
        let stream = &take.stream;
        let found: Option<(i64, i64, Option<String>, Option<i64>)> = self
            .connection
            .prepare_cached(FIND)?
            .query_row(params![noun_code(stream.kind()), stream.id()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((key, epoch, holder, expires)) = found else {
            return Err(JournalError::Missing { stream: stream.clone() }.into());
        };
        if self.clear_deleted(key)? {
            return Err(JournalError::Missing { stream: stream.clone() }.into());
        }
        let foreign = holder.is_some_and(|holder| holder != take.holder);
        if foreign && expires.is_some_and(|expires| expires > take.now.as_millis()) {
            return Err(JournalError::Leased { stream: stream.clone() }.into());
        }
        let lease = Lease { stream: stream.clone(), epoch: from_int(epoch) + 1, expires_at: take.now.after(take.ttl) };
        let row = params![key, to_int(lease.epoch), take.holder, lease.expires_at.as_millis()];
        self.connection.prepare_cached(TAKE)?.execute(row)?;
        // The next append reads the new epoch from the row.
        self.heads.remove(stream);
        Ok(lease)
    }
}
