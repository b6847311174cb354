//! Agents created at runtime, and their storage.

pub use baton_api::{AgentExport, AgentItem, CloneAgent, CreateAgent};
pub use baton_local::MemoryStorage;
pub use baton_manage::{Definition, DefinitionUpdate, ManageError, ManageRole, Manager, item_put, server_change};
pub use baton_ports::{AgentFiles, AgentLocation, AgentPersistence, AgentStorage, AgentStorageError};
pub use baton_types::{AgentChange, AgentName, Digest, ItemKind};

use std::{fmt, sync::Arc};

/// A storage provided by the program.
#[derive(Clone)]
pub(crate) struct ProgramStorage(pub(crate) Arc<dyn AgentStorage>);

impl fmt::Debug for ProgramStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramStorage").finish_non_exhaustive()
    }
}
