//! Reads of streams and events.

use super::{
    deletions::visibility_condition,
    error::{from_sql, is_conversion},
    rows::{
        HEAD_COLUMNS, SELECT_EVENTS, events, from_int, head, limit, noun_code, readable_events, readable_heads, text,
        to_int,
    },
};
use baton_ports::{JournalError, LoadedStream, Snapshot, StoredEvent, StreamHead};
use baton_types::{Principal, StreamId, TaskId};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::sync::Arc;

const FIND_SNAPSHOT: &str = "SELECT t.version, t.state, b.bytes FROM snapshots AS t \
     LEFT JOIN blobs AS b ON b.digest = t.blob WHERE t.stream = ?1";

/// One consistent view: head, snapshot and the events after it.
pub(super) fn load(
    connection: &Connection,
    principal: Option<&Principal>,
    stream: &StreamId,
) -> Result<Option<LoadedStream>, JournalError> {
    let view = connection.unchecked_transaction().map_err(|error| from_sql(&error))?;
    let damaged = |error: rusqlite::Error| match from_sql(&error) {
        JournalError::Corrupt(reason) if is_conversion(&error) => {
            JournalError::Damaged { stream: stream.clone(), number: None, reason }
        }
        other => other,
    };
    let found = find_head(&view, stream).map_err(damaged)?;
    let Some((key, head)) = found else { return Ok(None) };
    if principal
        .is_some_and(|principal| principal.tenant != head.owner.tenant || principal.subject != head.owner.subject)
    {
        return Ok(None);
    }
    let snapshot = find_snapshot(&view, key).or_else(|error| match is_conversion(&error) {
        true => {
            // The events contain the same data.
            tracing::warn!(stream = ?stream, %error, "a snapshot cannot be read; the stream is folded from its beginning");
            Ok(None)
        }
        false => Err(from_sql(&error)),
    })?;
    let folded = snapshot.as_ref().map_or(0, |snapshot| snapshot.version);
    let events = events_after(&view, key, folded, i64::MAX)?;
    Ok(Some(LoadedStream { head, snapshot, events }))
}

/// Events of one stream with numbers above `after`.
pub(super) fn stream_events(
    connection: &Connection,
    stream: &StreamId,
    after: u64,
    rows: usize,
) -> Result<Vec<Arc<StoredEvent>>, JournalError> {
    let view = connection.unchecked_transaction().map_err(|error| from_sql(&error))?;
    match find_key(&view, stream).map_err(|error| from_sql(&error))? {
        Some(key) => events_after(&view, key, after, limit(rows)),
        None => Ok(Vec::new()),
    }
}

/// Events of all streams with sequences above `after`.
pub(super) fn tail(connection: &Connection, after: u64, rows: usize) -> Result<Vec<Arc<StoredEvent>>, JournalError> {
    let view = connection.unchecked_transaction().map_err(|error| from_sql(&error))?;
    let visible = visibility_condition(&view).map_err(|error| from_sql(&error))?;
    let sql = format!("{SELECT_EVENTS} WHERE e.seq > ?1 AND {visible} ORDER BY e.seq LIMIT ?2");
    let mut select = view.prepare_cached(&sql).map_err(|error| from_sql(&error))?;
    let mut after = after;
    loop {
        let (events, count, last) = readable_events(&mut select, params![to_int(after), limit(rows)])?;
        // An empty result means the end to the caller.
        if !events.is_empty() || count == 0 || count < rows {
            return Ok(events);
        }
        after = last;
    }
}

/// Active streams in creation order.
pub(super) fn active_streams(
    connection: &Connection,
    after: Option<&StreamId>,
    rows: usize,
) -> Result<Vec<StreamHead>, JournalError> {
    let heads = || -> rusqlite::Result<Vec<StreamHead>> {
        let view = connection.unchecked_transaction()?;
        let after = match after {
            Some(stream) => find_key(&view, stream)?.unwrap_or(0),
            None => 0,
        };
        let sql = format!(
            "SELECT {HEAD_COLUMNS} FROM streams AS s JOIN principals AS p ON p.key = s.owner \
             WHERE s.active = 1 AND s.key > ?1 ORDER BY s.key LIMIT ?2"
        );
        Ok(readable_heads(&mut *view.prepare_cached(&sql)?, params![after, limit(rows)])?.0)
    };
    heads().map_err(|error| from_sql(&error))
}

/// Unfinished tasks, by a scan of all streams.
pub(super) fn open_tasks(connection: &Connection, rows: usize) -> Result<Vec<(TaskId, String)>, JournalError> {
    const OPEN: &str = "SELECT id, state FROM streams WHERE noun = ?1 AND terminal = 0 LIMIT ?2";
    let tasks = || -> rusqlite::Result<Vec<(TaskId, String)>> {
        let open = |row: &Row<'_>| Ok((TaskId::from(row.get::<_, String>(0)?), row.get(1)?));
        connection.prepare(OPEN)?.query_map(params![noun_code("task"), limit(rows)], open)?.collect()
    };
    tasks().map_err(|error| from_sql(&error))
}

fn events_after(
    connection: &Connection,
    key: i64,
    after: u64,
    rows: i64,
) -> Result<Vec<Arc<StoredEvent>>, JournalError> {
    let mut select = connection.prepare_cached(&select_after_number()).map_err(|error| from_sql(&error))?;
    events(&mut select, params![key, to_int(after), rows])
}

fn select_after_number() -> String {
    format!("{SELECT_EVENTS} WHERE e.stream = ?1 AND e.number > ?2 ORDER BY e.number LIMIT ?3")
}

fn find_key(connection: &Connection, stream: &StreamId) -> rusqlite::Result<Option<i64>> {
    let sql =
        format!("SELECT key FROM streams AS s WHERE noun = ?1 AND id = ?2 AND {}", visibility_condition(connection)?);
    let mut find = connection.prepare_cached(&sql)?;
    find.query_row(params![noun_code(stream.kind()), stream.id()], |row| row.get(0)).optional()
}

fn find_head(connection: &Connection, stream: &StreamId) -> rusqlite::Result<Option<(i64, StreamHead)>> {
    let sql = format!(
        "SELECT {HEAD_COLUMNS}, s.key FROM streams AS s JOIN principals AS p ON p.key = s.owner \
         WHERE s.noun = ?1 AND s.id = ?2 AND {}",
        visibility_condition(connection)?
    );
    let mut find = connection.prepare_cached(&sql)?;
    find.query_row(params![noun_code(stream.kind()), stream.id()], |row| Ok((row.get("key")?, head(row)?))).optional()
}

fn find_snapshot(connection: &Connection, key: i64) -> rusqlite::Result<Option<Snapshot>> {
    let mut find = connection.prepare_cached(FIND_SNAPSHOT)?;
    find.query_row(params![key], |row| Ok(Snapshot { version: from_int(row.get(0)?), state: text(row, 1, 2)? }))
        .optional()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::open::{AbsentJournal, open_reader, open_writer};
    use rusqlite::StatementStatus;

    #[test]
    fn read_statement_is_prepared_once_for_all_parameters() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("journal.db");
        for connection in [open_writer(&file, AbsentJournal::Create).unwrap(), open_reader(&file).unwrap()] {
            for number in 1..50 {
                events_after(&connection, number, number.cast_unsigned(), 10).unwrap();
            }
            let select = connection.prepare_cached(&select_after_number()).unwrap();
            assert_eq!(select.get_status(StatementStatus::Run), 49, "it is the same statement");
            assert_eq!(select.get_status(StatementStatus::RePrepare), 0);
        }
    }
}
