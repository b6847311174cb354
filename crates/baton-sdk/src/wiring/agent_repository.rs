//! Agents created at runtime, in addition to those defined in code.

use crate::{Error, manage::ProgramStorage};
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_types::ErrorCode;
use std::sync::Arc;

/// Opens the agents of a storage; without one, they are kept in memory.
pub(super) async fn open(storage: Option<ProgramStorage>) -> Result<Arc<DirectoryAgents>, Error> {
    let storage = storage.map_or_else(|| Arc::new(MemoryStorage::new()) as _, |ProgramStorage(storage)| storage);
    // The storage may block on a disk or a network.
    let opened = tokio::task::spawn_blocking(move || DirectoryAgents::open_with(&[], vec![storage], None)).await;
    opened
        .map(Arc::new)
        .map_err(|error| Error::new(ErrorCode::INTERNAL, format!("the storage of agents failed: {error}")))
}
