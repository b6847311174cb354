//! The journal: in a data directory that this process owns, or in memory.

use crate::{LostJournal, Persistence, ServerError, fresh_id};
use baton_journal::{AbsentJournal, JournalOptions, MemoryJournal, SqliteJournal};
use baton_local::{Correction, journal_evidence, prepare_data_directory};
use baton_ports::{Journal, JournalError, TokenStore};
use baton_system::SystemClock;
use baton_types::Clock as _;
use std::{fs, path::Path, sync::Arc};

/// Creates the data directory, or restricts its permissions to its owner.
pub(crate) fn prepare(data: &Path) -> Result<(), ServerError> {
    for correction in prepare_data_directory(data).map_err(ServerError::DataDirectory)? {
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

/// Moves the remains of a lost journal aside, because a new one would overwrite them.
fn set_journal_aside(data: &Path) -> Result<(), ServerError> {
    let left = ["journal.db", "journal.db-wal", "journal.db-shm"].map(|name| data.join(name));
    let aside = data.join(format!("journal-lost-{}", fresh_id()));
    let moved = left.iter().filter(|path| path.exists()).try_for_each(|path| {
        fs::create_dir_all(&aside)?;
        fs::rename(path, aside.join(path.file_name().unwrap_or_default()))
    });
    moved.map_err(|error| ServerError::Storage(format!("cannot move to {}: {error}", aside.display())))
}

/// An open journal.
pub(crate) enum JournalHandle {
    Disk(Arc<SqliteJournal>),
    Memory(Arc<MemoryJournal>),
}

impl JournalHandle {
    /// Opens the journal and locks the data directory, unless data is in memory only.
    pub(crate) fn open(persistence: &Persistence, lost: LostJournal) -> Result<Self, ServerError> {
        let Some(data) = persistence.directory() else { return Ok(Self::Memory(Arc::new(MemoryJournal::new()))) };
        prepare(data)?;
        let absent = if journal_evidence(data).is_empty() { AbsentJournal::Create } else { AbsentJournal::Refuse };
        let options = JournalOptions { if_absent: absent, ..JournalOptions::default() };
        let journal = match SqliteJournal::open(data, options) {
            Err(JournalError::Lost(_)) if lost == LostJournal::Replace => {
                set_journal_aside(data)?;
                // The current time in milliseconds is above all event numbers of the lost journal.
                let absent = AbsentJournal::Replace { above: SystemClock.now().as_millis() };
                SqliteJournal::open(data, JournalOptions { if_absent: absent, ..JournalOptions::default() })
            }
            opened => opened,
        };
        Ok(Self::Disk(Arc::new(journal.map_err(|error| ServerError::from_journal(error, data))?)))
    }

    pub(crate) fn journal(&self) -> Arc<dyn Journal> {
        match self {
            Self::Disk(journal) => journal.clone(),
            Self::Memory(journal) => journal.clone(),
        }
    }

    pub(crate) fn tokens(&self) -> Arc<dyn TokenStore> {
        match self {
            Self::Disk(journal) => journal.clone(),
            Self::Memory(journal) => journal.clone(),
        }
    }

    /// Releases the data directory.
    pub(crate) async fn close(self) {
        if let Self::Disk(journal) = self {
            // Closing blocks on disk I/O.
            let _ = tokio::task::spawn_blocking(move || journal.close()).await;
        }
    }
}
