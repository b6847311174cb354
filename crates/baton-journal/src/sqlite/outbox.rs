//! Deliveries owed to the outside: which are due, and what became of one.

use super::{
    error::{Failure, from_sql},
    rows::{corrupt, stream_id},
    writer::Writer,
};
use baton_ports::{JournalError, OutboxEntry, OutboxOutcome};
use baton_types::{Json, Timestamp};
use rusqlite::{Connection, Row, params};

const DUE: &str = "SELECT id, channel, noun, stream_id, body, due_at, attempts FROM outbox \
     WHERE channel = ?1 AND due_at <= ?2 ORDER BY due_at, id LIMIT ?3";
const SETTLE: &str = "DELETE FROM outbox WHERE id = ?1";
const RETRY: &str = "UPDATE outbox SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";

impl Writer {
    pub(super) fn settle(&self, id: &str, outcome: &OutboxOutcome) -> Result<(), Failure> {
        match outcome {
            OutboxOutcome::Settled => self.connection.prepare_cached(SETTLE)?.execute(params![id])?,
            OutboxOutcome::RetryAt(moment) => {
                self.connection.prepare_cached(RETRY)?.execute(params![id, moment.as_millis()])?
            }
        };
        Ok(())
    }
}

pub(super) fn due(
    connection: &Connection,
    channel: &str,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<OutboxEntry>, JournalError> {
    let entries = || -> rusqlite::Result<Vec<OutboxEntry>> {
        let mut due = connection.prepare_cached(DUE)?;
        due.query_map(params![channel, now.as_millis(), limit], entry)?.collect()
    };
    entries().map_err(|error| from_sql(&error))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<OutboxEntry> {
    Ok(OutboxEntry {
        id: row.get(0)?,
        channel: row.get(1)?,
        stream: stream_id(row, 2)?,
        body: Json::parse(row.get_ref(4)?.as_str()?).map_err(|error| corrupt(4, error))?,
        due_at: Timestamp::from_millis(row.get(5)?),
        attempts: row.get(6)?,
    })
}
