//! Storages of agent files: directories, or process memory.

mod directory;
mod memory;
mod pending;
mod save;

pub use directory::DirectoryStorage;
pub use memory::MemoryStorage;
pub(crate) use pending::Pending;
pub(crate) use save::{Saved, create, remove, save, settle};
