//! Decoding of rows.

use super::error::{from_fact, from_sql};
use baton_ports::{JournalError, StoredEvent, StreamHead, error_codes};
use baton_types::{JournalEvent, Json, Principal, RunId, StreamId, Timestamp};
use rusqlite::{Params, Row, Statement, types::Type};
use std::sync::Arc;

/// Columns for [`head`], from `streams AS s` and `principals AS p`.
pub(super) const HEAD_COLUMNS: &str = "s.noun, s.id, p.tenant, p.subject, s.agent, s.context, s.state, s.version, \
     s.epoch, s.created_at, s.status_at, s.active, s.terminal";

/// Counters stay far below 2^63, so nothing saturates in practice.
pub(super) fn to_int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn from_int(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// `LIMIT` for any number of rows.
pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// The stored code of a noun; 0 for an unknown one.
pub(super) fn noun_code(noun: &str) -> i64 {
    match noun {
        "task" => 1,
        "handoff" => 2,
        "session" => 3,
        _ => 0,
    }
}

fn noun_name(code: i64) -> &'static str {
    match code {
        1 => "task",
        2 => "handoff",
        3 => "session",
        _ => "",
    }
}

/// Error for a column with unexpected text.
pub(super) fn corrupt(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

/// A stream from its noun in `column` and its id in the next one.
pub(super) fn stream_id(row: &Row<'_>, column: usize) -> rusqlite::Result<StreamId> {
    let code = row.get(column)?;
    StreamId::from_parts(noun_name(code), row.get_ref(column + 1)?.as_str()?)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(column, code))
}

pub(super) fn head(row: &Row<'_>) -> rusqlite::Result<StreamHead> {
    Ok(StreamHead {
        stream: stream_id(row, 0)?,
        owner: Arc::new(Principal { tenant: row.get(2)?, subject: row.get(3)?, scopes: Vec::new() }),
        agent: row.get_ref(4)?.as_str()?.into(),
        context: row.get_ref(5)?.as_str()?.into(),
        state: row.get(6)?,
        version: from_int(row.get(7)?),
        epoch: from_int(row.get(8)?),
        created_at: Timestamp::from_millis(row.get(9)?),
        status_at: Timestamp::from_millis(row.get(10)?),
        active: row.get(11)?,
        terminal: row.get(12)?,
    })
}

/// Columns for [`events`], with the required joins.
pub(super) const SELECT_EVENTS: &str = "SELECT e.seq, s.noun, s.id, e.number, e.run, e.epoch, e.at, p.subject, \
     e.trace, e.kind, e.schema, e.body, b.bytes FROM events AS e \
     JOIN streams AS s ON s.key = e.stream JOIN principals AS p ON p.key = e.principal \
     LEFT JOIN blobs AS b ON b.digest = e.blob";

/// All rows of a statement that starts with [`SELECT_EVENTS`].
pub(super) fn events(
    select: &mut Statement<'_>,
    parameters: impl Params,
) -> Result<Vec<Arc<StoredEvent>>, JournalError> {
    let mut events = Vec::new();
    let mut rows = select.query(parameters).map_err(|error| from_sql(&error))?;
    while let Some(row) = rows.next().map_err(|error| from_sql(&error))? {
        events.push(Arc::new(decode(row)?));
    }
    Ok(events)
}

/// The decodable rows of such a statement, the number of all rows, and the sequence number of the last one. Other rows
/// are logged and skipped: one damaged row must not hide the rows after it.
pub(super) fn readable_events(
    select: &mut Statement<'_>,
    parameters: impl Params,
) -> Result<(Vec<Arc<StoredEvent>>, usize, u64), JournalError> {
    let (mut events, mut count, mut last) = (Vec::new(), 0, 0);
    let mut rows = select.query(parameters).map_err(|error| from_sql(&error))?;
    while let Some(row) = rows.next().map_err(|error| from_sql(&error))? {
        count += 1;
        last = from_int(row.get(0).map_err(|error| from_sql(&error))?);
        match decode(row) {
            Ok(event) => events.push(Arc::new(event)),
            Err(error @ JournalError::Damaged { .. }) => {
                tracing::warn!(code = error.code().code, seq = last, %error, "an event cannot be read and is skipped");
            }
            Err(error) => return Err(error),
        }
    }
    Ok((events, count, last))
}

/// Decodes the event of a row; the error identifies the event.
pub(super) fn decode(row: &Row<'_>) -> Result<StoredEvent, JournalError> {
    let decoded = fact(row).and_then(|fact| event(row, fact).map_err(|error| from_sql(&error)));
    decoded.map_err(|error| match (error, stream_id(row, 1)) {
        (JournalError::Corrupt(reason), Ok(stream)) => {
            JournalError::Damaged { stream, number: row.get(3).ok().map(from_int), reason }
        }
        (error, _) => error,
    })
}

/// The heads of the decodable rows, and the number of all rows. Other rows are logged and skipped.
pub(super) fn readable_heads(
    select: &mut Statement<'_>,
    parameters: impl Params,
) -> rusqlite::Result<(Vec<StreamHead>, usize)> {
    let (mut heads, mut count) = (Vec::new(), 0);
    let mut rows = select.query(parameters)?;
    while let Some(row) = rows.next()? {
        count += 1;
        match head(row) {
            Ok(head) => heads.push(head),
            Err(error) => {
                let id = row.get_ref(1).ok().and_then(|id| id.as_bytes().ok()).map(String::from_utf8_lossy);
                let (id, code) = (id.unwrap_or_default(), error_codes::RECORD_DAMAGED.code);
                tracing::warn!(code, %id, %error, "a stream summary cannot be read and is skipped");
            }
        }
    }
    Ok((heads, count))
}

fn fact(row: &Row<'_>) -> Result<JournalEvent, JournalError> {
    let stored = || -> rusqlite::Result<(Json, u16)> { Ok((text(row, 11, 12)?, row.get(10)?)) };
    let (body, schema) = stored().map_err(|error| from_sql(&error))?;
    let kind = row.get_ref(9).map_err(|error| from_sql(&error))?;
    let kind = kind.as_str().map_err(|error| JournalError::Corrupt(error.to_string()))?;
    JournalEvent::decode(kind, schema, &body).map_err(|error| from_fact(&error))
}

/// JSON that is stored in the row, or in a joined blob.
pub(super) fn text(row: &Row<'_>, inline: usize, blob: usize) -> rusqlite::Result<Json> {
    let text = match row.get_ref(inline)?.as_str_or_null()? {
        Some(text) => text,
        None => std::str::from_utf8(row.get_ref(blob)?.as_blob()?).map_err(|error| corrupt(blob, error))?,
    };
    Json::parse(text).map_err(|error| corrupt(inline, error))
}

fn event(row: &Row<'_>, fact: JournalEvent) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        seq: from_int(row.get(0)?),
        stream: stream_id(row, 1)?,
        number: from_int(row.get(3)?),
        run: row.get_ref(4)?.as_str_or_null()?.map(RunId::from),
        epoch: from_int(row.get(5)?),
        at: Timestamp::from_millis(row.get(6)?),
        subject: row.get(7)?,
        trace: row.get(8)?,
        fact,
    })
}
