//! Agents created at runtime, and their storage.

pub use baton_local::MemoryStorage;
pub use baton_manage::{Changed, Definition, ManageError, Manager, Who, item_put, server_change};
pub use baton_ports::{AgentFiles, AgentPlace, AgentStorage, AgentStorageError, Keeping};
pub use baton_types::{AgentChange, AgentName, Digest, ItemKind};
pub use baton_wire::api::{AgentExport, AgentItem, CloneAgent, CreateAgent};

use std::{fmt, sync::Arc};

/// A storage provided by the program.
#[derive(Clone)]
pub(crate) struct Storage(pub(crate) Arc<dyn AgentStorage>);

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage").finish_non_exhaustive()
    }
}
