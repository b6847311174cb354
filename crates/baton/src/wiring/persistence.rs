//! The journal: in a data directory that this process owns, or in memory.

use super::baton::{fresh_id, journal_failure};
use crate::{config::BatonSettings, failure::CliError, server_file::ServerFile};
use baton_journal::{AbsentJournal, JournalOptions, MemoryJournal, SqliteJournal};
use baton_local::{Correction, DataDirectoryError, journal_evidence, prepare_data_directory};
use baton_ports::{Journal, JournalError, TokenStore};
use baton_system::SystemClock;
use baton_types::Clock as _;
use baton_types::ErrorCode;
use std::{fs, path::Path, sync::Arc};

/// Persistence of data beyond the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// All data, in the data directory.
    DataDirectory,
    /// In memory only.
    InMemory,
}

/// Creates the data directory, or restricts its permissions to its owner.
pub(super) fn prepare(data: &Path) -> Result<(), CliError> {
    for correction in prepare_data_directory(data).map_err(|error| data_directory_failure(&error))? {
        match correction {
            Correction::Tightened { path, mode } => {
                let mode = format!("{mode:04o}");
                tracing::warn!(path = %path.display(), mode, "was accessible to other users; now restricted to its owner");
            }
            Correction::Ignored(path) => tracing::info!(path = %path.display(), "keeps data out of version control"),
        }
    }
    Ok(())
}

/// Error for a data directory that cannot be used.
pub(crate) fn data_directory_failure(error: &DataDirectoryError) -> CliError {
    match error {
        DataDirectoryError::Exposed { path, wanted, .. } => CliError::new(ErrorCode::DATA_EXPOSED, error.to_string())
            .hint(format!(
                "Run `chmod {wanted:o} {}` as its owner, or choose another directory with --data.",
                path.display()
            )),
        DataDirectoryError::Io { .. } => {
            CliError::new(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot use the data directory: {error}"))
        }
    }
}

/// Moves the remains of a lost journal aside, because a new one would overwrite them.
fn set_journal_aside(data: &Path) -> Result<(), CliError> {
    let left = ["journal.db", "journal.db-wal", "journal.db-shm"].map(|name| data.join(name));
    let aside = data.join(format!("journal-lost-{}", fresh_id()));
    let moved = left.iter().filter(|path| path.exists()).try_for_each(|path| {
        fs::create_dir_all(&aside)?;
        fs::rename(path, aside.join(path.file_name().unwrap_or_default()))
    });
    moved.map_err(|error| {
        CliError::new(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot move to {}: {error}", aside.display()))
    })
}

/// An open journal.
pub(super) enum JournalHandle {
    Disk(Arc<SqliteJournal>),
    Memory(Arc<MemoryJournal>),
}

impl JournalHandle {
    /// Opens the journal and locks the data directory, unless data is in memory only.
    pub(super) fn open(keep: Persistence, settings: &BatonSettings) -> Result<Self, CliError> {
        if keep == Persistence::InMemory {
            return Ok(Self::Memory(Arc::new(MemoryJournal::new())));
        }
        let data = &settings.data;
        prepare(data)?;
        let absent = if journal_evidence(data).is_empty() { AbsentJournal::Create } else { AbsentJournal::Refuse };
        let options = JournalOptions { if_absent: absent, ..JournalOptions::default() };
        let journal = match SqliteJournal::open(data, options) {
            Err(JournalError::Lost(_)) if settings.new_journal => {
                set_journal_aside(data)?;
                // The current time in milliseconds is above all event numbers of the lost journal.
                let absent = AbsentJournal::Replace { above: SystemClock.now().as_millis() };
                SqliteJournal::open(data, JournalOptions { if_absent: absent, ..JournalOptions::default() })
            }
            opened => opened,
        };
        let journal = journal.map_err(|error| journal_failure(&error, data))?;
        // This process owns the directory, so an existing `server.json` is stale.
        ServerFile::remove_stale(data);
        Ok(Self::Disk(Arc::new(journal)))
    }

    pub(super) fn journal(&self) -> Arc<dyn Journal> {
        match self {
            Self::Disk(journal) => journal.clone(),
            Self::Memory(journal) => journal.clone(),
        }
    }

    pub(super) fn tokens(&self) -> Arc<dyn TokenStore> {
        match self {
            Self::Disk(journal) => journal.clone(),
            Self::Memory(journal) => journal.clone(),
        }
    }

    /// Releases the data directory.
    pub(super) async fn close(self) {
        if let Self::Disk(journal) = self {
            // Closing blocks on disk I/O.
            let _ = tokio::task::spawn_blocking(move || journal.close()).await;
        }
    }
}
