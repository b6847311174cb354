//! Mapping of database errors to port errors.

use baton_ports::JournalError;
use baton_types::{EventDecodeError, JournalEvent};
use rusqlite::ErrorCode;

/// Error of a job: a refusal of this job only, or a database error that fails its whole group.
#[derive(Debug)]
pub(super) enum JobError {
    Refused(JournalError),
    Sql(rusqlite::Error),
}

impl From<JournalError> for JobError {
    fn from(error: JournalError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for JobError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// Whether a stored value has an unexpected form; the file itself is intact.
pub(super) fn is_conversion(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..))
}

/// The port's error for a database error.
pub(super) fn from_sql(error: &rusqlite::Error) -> JournalError {
    if is_conversion(error) {
        return JournalError::Corrupt(error.to_string());
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => JournalError::Corrupt(error.to_string()),
        Some(ErrorCode::DiskFull) => JournalError::Unavailable(format!("the disk is full: {error}")),
        _ => JournalError::Unavailable(error.to_string()),
    }
}

/// The port's error for a stored body that cannot be decoded.
pub(super) fn from_fact(error: &EventDecodeError) -> JournalError {
    match error {
        EventDecodeError::NewerSchema { schema, .. } if *schema > JournalEvent::SCHEMA => {
            JournalError::NewerSchema { found: u32::from(*schema), known: u32::from(JournalEvent::SCHEMA) }
        }
        _ => JournalError::Corrupt(error.to_string()),
    }
}

pub(super) fn closed_error() -> JournalError {
    JournalError::Unavailable("the journal is closed".to_owned())
}
