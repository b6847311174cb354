//! Storages of agent files: directories, or process memory.

mod directory;
mod memory;
mod pending;
mod save;

pub use directory::DirectoryStorage;
pub use memory::MemoryStorage;
pub(crate) use pending::PendingChange;
pub(crate) use save::{SaveOutcome, create, finish_pending, remove, save};
