//! Where facts are kept: in a data directory that this process owns, or only as long as it lives.

use super::baton::unusable;
use crate::{failure::Failure, server_file::ServerFile};
use baton_journal::{MemoryJournal, SqliteJournal};
use baton_ports::{Journal, TokenStore};
use std::{path::Path, sync::Arc};

/// What outlives the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Everything, in the data directory.
    All,
    /// Nothing.
    Nothing,
}

/// A journal.
pub(super) enum Kept {
    Disk(Arc<SqliteJournal>),
    Memory(Arc<MemoryJournal>),
}

impl Kept {
    /// Takes the data directory, unless nothing is kept.
    pub(super) fn open(keep: Keep, data: &Path) -> Result<Self, Failure> {
        if keep == Keep::Nothing {
            return Ok(Self::Memory(Arc::new(MemoryJournal::new())));
        }
        let journal = SqliteJournal::open(data, baton_journal::Options::default());
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
