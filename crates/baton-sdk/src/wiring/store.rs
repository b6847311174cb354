//! Where facts are kept.

use crate::Error;
use baton_identity::SigningKeys;
use baton_journal::{MemoryJournal, SqliteJournal};
use baton_ports::{CardSigner, Journal};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Where keys are, in the data directory.
pub(super) const KEYS: &str = "keys";

/// A journal, and the keys beside it.
pub(super) enum Store {
    Memory(Arc<MemoryJournal>),
    Directory { journal: Arc<SqliteJournal>, signer: Arc<dyn CardSigner> },
}

impl Store {
    /// Takes the directory, or memory when there is none.
    pub(super) fn open(directory: Option<&Path>) -> Result<Self, Error> {
        let Some(directory) = directory else { return Ok(Self::Memory(Arc::new(MemoryJournal::new()))) };
        let shown = directory.display();
        let journal = SqliteJournal::open(directory, baton_journal::Options::default())
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

    /// Who signs cards; a key that is gone at the end would vouch for nothing.
    pub(super) fn signer(&self) -> Option<Arc<dyn CardSigner>> {
        match self {
            Self::Memory(_) => None,
            Self::Directory { signer, .. } => Some(Arc::clone(signer)),
        }
    }

    /// Lets the directory go.
    pub(super) async fn close(self) {
        if let Self::Directory { journal, .. } = self {
            // Closing waits for the disk.
            let _ = tokio::task::spawn_blocking(move || journal.close()).await;
        }
    }
}
