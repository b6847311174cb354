//! Checks a journal row by row and moves undecodable records to quarantine.
//!
//! A stream with an undecodable row is moved to the table `quarantine` as a whole: without that row its meaning would
//! change. All bytes are kept there; nothing is deleted.

use super::{
    error::from_sql,
    open::{AbsentJournal, DirectoryLock, FILE, is_absent, open_writer},
    retain::remove_stream_rows,
    rows::{HEAD_COLUMNS, SELECT_EVENTS, decode, head, text},
};
use baton_ports::JournalError;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// Maximum number of reported file errors.
const MAX_FAULTS: usize = 20;
/// Maximum number of streams moved by one repair; the next repair continues.
const MAX_STREAMS: usize = 10_000;

/// Result of a check and repair of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalRepair {
    /// Errors of the file itself; if there are any, nothing was changed.
    pub faults: Vec<String>,
    /// Number of checked streams.
    pub streams: u64,
    /// Number of checked events.
    pub events: u64,
    /// The quarantined records with their reasons.
    pub quarantined: Vec<QuarantinedStream>,
}

/// An undecodable stream, or an undecodable snapshot of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantinedStream {
    /// Name, such as `task 0190...`.
    pub name: String,
    /// The decoding error.
    pub reason: String,
}

/// Checks the journal of a directory that this process owns, and quarantines undecodable records.
pub fn repair(lock: &DirectoryLock) -> Result<JournalRepair, JournalError> {
    if is_absent(&lock.directory) {
        return Err(JournalError::Lost(lock.directory.display().to_string()));
    }
    let connection = open_writer(&lock.directory.join(FILE), AbsentJournal::Refuse)?;
    let faults = faults(&connection).map_err(|error| from_sql(&error))?;
    let mut repair = JournalRepair { faults, ..JournalRepair::default() };
    if repair.faults.is_empty() {
        check(&connection, &mut repair)?;
    }
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").map_err(|error| from_sql(&error))?;
    Ok(repair)
}

fn faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare(&format!("PRAGMA quick_check({MAX_FAULTS})"))?;
    let lines: Vec<String> = select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

fn check(connection: &Connection, repair: &mut JournalRepair) -> Result<(), JournalError> {
    let sql = |error: rusqlite::Error| from_sql(&error);
    let mut damaged: BTreeMap<i64, String> = BTreeMap::new();
    let select = format!("SELECT {HEAD_COLUMNS}, s.key FROM streams AS s LEFT JOIN principals AS p ON p.key = s.owner");
    let mut select = connection.prepare(&select).map_err(sql)?;
    let mut rows = select.query([]).map_err(sql)?;
    while let Some(row) = rows.next().map_err(sql)? {
        repair.streams += 1;
        if let Err(error) = head(row) {
            damaged.insert(row.get("key").map_err(sql)?, format!("its summary: {error}"));
        }
    }
    let select = SELECT_EVENTS.replacen(" FROM events AS e", ", e.stream AS stream_key FROM events AS e", 1);
    let mut select = connection.prepare(&select).map_err(sql)?;
    let mut rows = select.query([]).map_err(sql)?;
    while let Some(row) = rows.next().map_err(sql)? {
        repair.events += 1;
        match decode(row) {
            Ok(_) => {}
            Err(JournalError::Damaged { number, reason, .. }) => {
                let number = number.map(|number| number.to_string()).unwrap_or_default();
                damaged.insert(row.get("stream_key").map_err(sql)?, format!("event {number}: {reason}"));
            }
            Err(JournalError::Corrupt(reason)) => {
                damaged.insert(row.get("stream_key").map_err(sql)?, reason);
            }
            Err(error) => return Err(error),
        }
    }
    drop(rows);
    for (key, reason) in damaged.into_iter().take(MAX_STREAMS) {
        let name = quarantine_stream(connection, key).map_err(sql)?;
        repair.quarantined.push(QuarantinedStream { name, reason });
    }
    check_snapshots(connection, repair).map_err(sql)
}

/// Undecodable snapshots are moved without their stream: the events contain the same data.
fn check_snapshots(connection: &Connection, repair: &mut JournalRepair) -> rusqlite::Result<()> {
    let mut select = connection
        .prepare("SELECT t.stream, t.state, b.bytes FROM snapshots AS t LEFT JOIN blobs AS b ON b.digest = t.blob")?;
    let mut damaged = Vec::new();
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if let Err(error) = text(row, 1, 2)
            && damaged.len() < MAX_STREAMS
        {
            damaged.push((row.get(0)?, error.to_string()));
        }
    }
    drop(rows);
    for (key, reason) in damaged {
        let name = stream_name(connection, key)?;
        let write = connection.unchecked_transaction()?;
        write.execute(&copy_rows(&SNAPSHOT_ROWS), params![key, name])?;
        write.execute("DELETE FROM snapshots WHERE stream = ?1", params![key])?;
        write.commit()?;
        repair.quarantined.push(QuarantinedStream { name: format!("snapshot of {name}"), reason });
    }
    Ok(())
}

/// Rows of a stream in one table, and their quarantine format.
struct QuarantineSource {
    table: &'static str,
    by: &'static str,
    columns: &'static [&'static str],
    bytes: &'static str,
}

const SNAPSHOT_ROWS: QuarantineSource = QuarantineSource {
    table: "snapshots",
    by: "stream",
    columns: &["stream", "version", "blob"],
    bytes: "coalesce(CAST(state AS BLOB), (SELECT bytes FROM blobs WHERE digest = snapshots.blob))",
};

const STREAM_ROWS: [QuarantineSource; 5] = [
    QuarantineSource {
        table: "streams",
        by: "key",
        columns: &[
            "key",
            "noun",
            "id",
            "owner",
            "agent",
            "context",
            "state",
            "version",
            "epoch",
            "created_at",
            "status_at",
            "active",
            "terminal",
        ],
        bytes: "CAST(id AS BLOB)",
    },
    QuarantineSource {
        table: "events",
        by: "stream",
        columns: &["seq", "stream", "number", "run", "epoch", "at", "principal", "trace", "kind", "schema", "blob"],
        bytes: "coalesce(CAST(body AS BLOB), (SELECT bytes FROM blobs WHERE digest = events.blob))",
    },
    SNAPSHOT_ROWS,
    QuarantineSource {
        table: "outbox",
        by: "stream",
        columns: &["id", "channel", "stream", "cursor", "due_at", "attempts", "failing_since", "open"],
        bytes: "CAST(body AS BLOB)",
    },
    QuarantineSource {
        table: "claims",
        by: "stream",
        columns: &["owner", "key", "request", "stream", "number"],
        bytes: "NULL",
    },
];

fn copy_rows(rows: &QuarantineSource) -> String {
    let QuarantineSource { table, by, columns, bytes } = rows;
    let columns = columns.iter().map(|column| format!("quote({column})")).collect::<Vec<_>>().join(" || ', ' || ");
    format!(
        "INSERT INTO quarantine (source, stream, columns, bytes) \
         SELECT '{table}', ?2, {columns}, {bytes} FROM {table} WHERE {by} = ?1"
    )
}

/// Moves all rows of a stream; returns its name.
fn quarantine_stream(connection: &Connection, key: i64) -> rusqlite::Result<String> {
    let name = stream_name(connection, key)?;
    let write = connection.unchecked_transaction()?;
    for rows in &STREAM_ROWS {
        write.execute(&copy_rows(rows), params![key, name])?;
    }
    // Sequence numbers and keys must not be reused when the newest rows are removed.
    write.execute_batch(
        "UPDATE floor SET last_seq = max(last_seq, coalesce((SELECT max(seq) FROM events), 0)), \
         last_key = max(last_key, coalesce((SELECT max(key) FROM streams), 0))",
    )?;
    remove_stream_rows(&write, key)?;
    write.commit()?;
    Ok(name)
}

fn stream_name(connection: &Connection, key: i64) -> rusqlite::Result<String> {
    connection.query_row("SELECT noun, CAST(id AS BLOB) FROM streams WHERE key = ?1", params![key], |row| {
        let noun = match row.get_ref(0)?.as_i64() {
            Ok(1) => "task",
            Ok(2) => "handoff",
            Ok(3) => "session",
            _ => "stream",
        };
        let id = row.get_ref(1)?.as_bytes().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
        Ok(format!("{noun} {id}"))
    })
}
