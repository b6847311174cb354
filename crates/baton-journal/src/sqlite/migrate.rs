//! Schema migrations, forward only.

use super::error::from_sql;
use baton_ports::JournalError;
use rusqlite::{Connection, ErrorCode};

/// Marks the file as a Baton journal: `BATN`.
const APPLICATION_ID: i32 = 0x4241_544E;

/// The n-th script migrates to schema n.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_journal.sql"),
    include_str!("../../migrations/0002_standing_orders.sql"),
    include_str!("../../migrations/0003_tokens.sql"),
    include_str!("../../migrations/0004_sessions.sql"),
    include_str!("../../migrations/0005_tallies.sql"),
    include_str!("../../migrations/0006_deletions.sql"),
    include_str!("../../migrations/0007_event_names.sql"),
];

/// The required tables of a journal.
const TABLES: &[&str] = &[
    "principals",
    "streams",
    "events",
    "snapshots",
    "blobs",
    "outbox",
    "claims",
    "floor",
    "probe",
    "tokens",
    "tallies",
    "deletions",
    "quarantine",
];

/// The schema version of this binary.
const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Checks that the file is a journal (or empty) without writing to it; returns its schema version.
pub(super) fn detect_schema(connection: &Connection) -> Result<u32, JournalError> {
    let (application, schema, objects) = identity(connection).map_err(|error| from_sql(&error))?;
    if application == 0 && schema == 0 && objects == 0 {
        return Ok(0);
    }
    if application != APPLICATION_ID || schema == 0 {
        return Err(JournalError::Corrupt("the file is a database, but not a Baton journal".to_owned()));
    }
    if schema > SCHEMA_VERSION {
        return Err(JournalError::NewerSchema { found: schema, known: SCHEMA_VERSION });
    }
    Ok(schema)
}

/// Applies the pending scripts, each in its own transaction.
pub(super) fn migrate(connection: &Connection, from: u32) -> Result<(), JournalError> {
    for (script, schema) in MIGRATIONS.iter().zip(1_u32..).skip(from as usize) {
        let sql = format!(
            "BEGIN IMMEDIATE; {script} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {schema}; COMMIT;"
        );
        connection.execute_batch(&sql).map_err(|error| from_sql(&error))?;
    }
    check_tables(connection).map_err(|error| match error.sqlite_error_code() {
        // SQLite's error code for a statement that refers to a missing table.
        Some(ErrorCode::Unknown) => JournalError::Corrupt(error.to_string()),
        _ => from_sql(&error),
    })
}

fn identity(connection: &Connection) -> rusqlite::Result<(i32, u32, i64)> {
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let schema = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok((application, schema, objects))
}

/// Reads the root of every table: detects a torn file in microseconds, where a full check takes minutes.
fn check_tables(connection: &Connection) -> rusqlite::Result<()> {
    for table in TABLES {
        connection.prepare(&format!("SELECT 1 FROM {table} LIMIT 1"))?.exists([])?;
    }
    Ok(())
}
