//! The journal and the signing keys.

use crate::Error;
use baton_identity::SigningKeys;
use baton_journal::{MemoryJournal, SqliteJournal};
use baton_ports::{CardSigner, Journal};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Directory for keys, below the data directory.
pub(super) const KEYS: &str = "keys";

/// A journal with its signing keys.
pub(super) enum JournalStore {
    Memory(Arc<MemoryJournal>),
    Directory { journal: Arc<SqliteJournal>, signer: Arc<dyn CardSigner> },
}

impl JournalStore {
    /// Opens the directory, or memory if none is given.
    pub(super) fn open(directory: Option<&Path>) -> Result<Self, Error> {
        let Some(directory) = directory else { return Ok(Self::Memory(Arc::new(MemoryJournal::new()))) };
        let shown = directory.display();
        let journal = SqliteJournal::open(directory, baton_journal::JournalOptions::default())
            .map_err(|error| Error::new(error.code(), format!("{shown}: {error}")))?;
        let keys = SigningKeys::open(&directory.join(KEYS))
            .map_err(|error| Error::new(ErrorCode::KEYS_UNUSABLE, format!("{shown}: {error}")))?;
        Ok(Self::Directory { journal: Arc::new(journal), signer: Arc::new(keys) })
    }

    pub(super) fn journal(&self) -> Arc<dyn Journal> {
        match self {
            Self::Memory(journal) => journal.clone(),
            Self::Directory { journal, .. } => journal.clone(),
        }
    }

    /// Signer of agent cards; none in memory, because signatures of a temporary key would be worthless.
    pub(super) fn signer(&self) -> Option<Arc<dyn CardSigner>> {
        match self {
            Self::Memory(_) => None,
            Self::Directory { signer, .. } => Some(Arc::clone(signer)),
        }
    }

    /// Closes the journal and releases the directory.
    pub(super) async fn close(self) {
        if let Self::Directory { journal, .. } = self {
            // Closing blocks on the disk.
            let _ = tokio::task::spawn_blocking(move || journal.close()).await;
        }
    }
}
