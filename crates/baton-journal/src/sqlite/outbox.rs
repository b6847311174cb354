//! Outbox entries and their delivery progress.

use super::{
    deletions::visibility_condition,
    error::{JobError, from_sql},
    rows::{corrupt, from_int, limit, noun_code, stream_id, to_int},
    writer::JournalWriter,
};
use baton_ports::{JournalError, OutboxEntry, OutboxProgress, error_codes};
use baton_types::{Json, StreamId, Timestamp};
use rusqlite::{Connection, Params, Row, params};

const UPSERT: &str = "INSERT INTO outbox (id, channel, stream, body, cursor, due_at, attempts, failing_since, open) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO UPDATE SET channel = ?2, stream = ?3, body = ?4, \
     cursor = ?5, due_at = ?6, attempts = ?7, failing_since = ?8, open = ?9";
const ADVANCE: &str = "UPDATE outbox SET cursor = ?2, due_at = ?3, attempts = ?4, failing_since = ?5, open = ?6 \
     WHERE id = ?1 AND cursor <= ?2";
const IS_THERE: &str = "SELECT 1 FROM outbox WHERE id = ?1";
const REMOVE: &str = "DELETE FROM outbox WHERE id = ?1";
const OF_STREAM: &str = "SELECT o.id, o.channel, s.noun, s.id, o.body, o.cursor, o.due_at, o.attempts, \
     o.failing_since, o.open FROM streams AS s JOIN outbox AS o ON o.stream = s.key \
     WHERE o.channel = ?1 AND s.noun = ?2 AND s.id = ?3";
const OPEN: &str = "SELECT o.id, o.channel, s.noun, s.id, o.body, o.cursor, o.due_at, o.attempts, \
     o.failing_since, o.open FROM outbox AS o JOIN streams AS s ON s.key = o.stream \
     WHERE o.channel = ?1 AND o.open = 1 AND o.id > ?2";

impl JournalWriter {
    /// Inserts or replaces an outbox entry for the stream with this key.
    pub(super) fn put_outbox_entry(&self, entry: &OutboxEntry, stream: i64) -> Result<(), JobError> {
        let progress = &entry.progress;
        self.connection.prepare_cached(UPSERT)?.execute(params![
            entry.id,
            entry.channel,
            stream,
            entry.body.as_str(),
            to_int(progress.cursor),
            progress.due_at.as_millis(),
            progress.attempts,
            progress.failing_since.map(Timestamp::as_millis),
            progress.open,
        ])?;
        Ok(())
    }

    /// Records progress, unless the cursor is behind the recorded one: such progress is outdated.
    pub(super) fn advance_outbox(&self, id: &str, progress: &OutboxProgress) -> Result<bool, JobError> {
        let updated = self.connection.prepare_cached(ADVANCE)?.execute(params![
            id,
            to_int(progress.cursor),
            progress.due_at.as_millis(),
            progress.attempts,
            progress.failing_since.map(Timestamp::as_millis),
            progress.open,
        ])?;
        Ok(updated > 0 || self.connection.prepare_cached(IS_THERE)?.exists(params![id])?)
    }

    pub(super) fn remove_outbox_entry(&self, id: &str) -> Result<bool, JobError> {
        Ok(self.connection.prepare_cached(REMOVE)?.execute(params![id])? > 0)
    }
}

/// The outbox entries of a channel for one stream, by id.
pub(super) fn stream_entries(
    connection: &Connection,
    channel: &str,
    stream: &StreamId,
) -> Result<Vec<OutboxEntry>, JournalError> {
    entries(connection, (OF_STREAM, "ORDER BY o.id"), params![channel, noun_code(stream.kind()), stream.id()])
}

/// The open outbox entries of a channel, by id.
pub(super) fn open_entries(
    connection: &Connection,
    channel: &str,
    after: Option<&str>,
    rows: usize,
) -> Result<Vec<OutboxEntry>, JournalError> {
    let order = "ORDER BY o.id LIMIT ?3";
    entries(connection, (OPEN, order), params![channel, after.unwrap_or_default(), limit(rows)])
}

fn entries(
    connection: &Connection,
    (select, order): (&str, &str),
    parameters: impl Params,
) -> Result<Vec<OutboxEntry>, JournalError> {
    let entries = || -> rusqlite::Result<Vec<OutboxEntry>> {
        let view = connection.unchecked_transaction()?;
        let sql = format!("{select} AND {} {order}", visibility_condition(&view)?);
        let mut select = view.prepare_cached(&sql)?;
        let (mut rows, mut entries) = (select.query(parameters)?, Vec::new());
        while let Some(row) = rows.next()? {
            match entry(row) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    let (id, code) = (row.get::<_, String>(0).unwrap_or_default(), error_codes::RECORD_DAMAGED.code);
                    tracing::warn!(code, id, %error, "a push configuration cannot be read and is skipped");
                }
            }
        }
        Ok(entries)
    };
    entries().map_err(|error| from_sql(&error))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<OutboxEntry> {
    Ok(OutboxEntry {
        id: row.get(0)?,
        channel: row.get(1)?,
        stream: stream_id(row, 2)?,
        body: Json::parse(row.get_ref(4)?.as_str()?).map_err(|error| corrupt(4, error))?,
        progress: OutboxProgress {
            cursor: from_int(row.get(5)?),
            due_at: Timestamp::from_millis(row.get(6)?),
            attempts: row.get(7)?,
            failing_since: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
            open: row.get(9)?,
        },
    })
}
