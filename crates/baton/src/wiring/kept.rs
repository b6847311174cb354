//! Where facts are kept: in a data directory that this process owns, or only as long as it lives.

use super::baton::{fresh_id, unusable};
use crate::{config::Settings, failure::Failure, server_file::ServerFile};
use baton_journal::{Absent, MemoryJournal, Options, SqliteJournal};
use baton_local::{Correction, DataDirectoryError, SystemClock, journal_evidence, prepare_data_directory};
use baton_ports::{Clock as _, Journal, JournalError, TokenStore};
use baton_types::ErrorCode;
use std::{fs, path::Path, sync::Arc};

/// What outlives the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Everything, in the data directory.
    All,
    /// Nothing.
    Nothing,
}

/// Makes the data directory, or sees to it that it is for its owner alone.
pub(super) fn prepare(data: &Path) -> Result<(), Failure> {
    for correction in prepare_data_directory(data).map_err(|error| not_private(&error))? {
        match correction {
            Correction::Tightened { path, mode } => {
                let mode = format!("{mode:04o}");
                tracing::warn!(path = %path.display(), mode, "others could use this; from now on only its owner can");
            }
            Correction::Ignored(path) => tracing::info!(path = %path.display(), "keeps data out of version control"),
        }
    }
    Ok(())
}

/// What a person is told about a data directory that cannot be used.
pub(crate) fn not_private(error: &DataDirectoryError) -> Failure {
    match error {
        DataDirectoryError::Exposed { path, wanted, .. } => Failure::new(ErrorCode::DATA_EXPOSED, error.to_string())
            .hint(format!(
                "Run `chmod {wanted:o} {}` as its owner, or choose a directory of your own with --data.",
                path.display()
            )),
        DataDirectoryError::Io { .. } => {
            Failure::new(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot use the data directory: {error}"))
        }
    }
}

/// Moves what is left of a lost journal out of the way of a new one, which would overwrite it.
fn set_journal_aside(data: &Path) -> Result<(), Failure> {
    let left = ["journal.db", "journal.db-wal", "journal.db-shm"].map(|name| data.join(name));
    let aside = data.join(format!("journal-lost-{}", fresh_id()));
    let moved = left.iter().filter(|path| path.exists()).try_for_each(|path| {
        fs::create_dir_all(&aside)?;
        fs::rename(path, aside.join(path.file_name().unwrap_or_default()))
    });
    moved.map_err(|error| {
        Failure::new(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot move to {}: {error}", aside.display()))
    })
}

/// A journal.
pub(super) enum Kept {
    Disk(Arc<SqliteJournal>),
    Memory(Arc<MemoryJournal>),
}

impl Kept {
    /// Takes the data directory, unless nothing is kept.
    pub(super) fn open(keep: Keep, settings: &Settings) -> Result<Self, Failure> {
        if keep == Keep::Nothing {
            return Ok(Self::Memory(Arc::new(MemoryJournal::new())));
        }
        let data = &settings.data;
        prepare(data)?;
        let absent = if journal_evidence(data).is_empty() { Absent::Create } else { Absent::Refuse };
        let options = Options { absent, ..Options::default() };
        let journal = match SqliteJournal::open(data, options) {
            Err(JournalError::Lost(_)) if settings.new_journal => {
                set_journal_aside(data)?;
                // Milliseconds since 1970 are more than all events of a journal.
                let absent = Absent::Replace { above: SystemClock.now().as_millis() };
                SqliteJournal::open(data, Options { absent, ..Options::default() })
            }
            opened => opened,
        };
        let journal = journal.map_err(|error| unusable(&error, data))?;
        // Whoever announced itself here is gone: the directory is ours.
        ServerFile::forget(data);
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

    /// Lets the data directory go.
    pub(super) async fn close(self) {
        if let Self::Disk(journal) = self {
            // Closing waits for the disk.
            let _ = tokio::task::spawn_blocking(move || journal.close()).await;
        }
    }
}
