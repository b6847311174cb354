//! Where the files of agents are kept: directories, or the memory of this process.

mod directory;
mod memory;
mod pending;
mod save;

pub use directory::DirectoryStorage;
pub use memory::MemoryStorage;
pub(crate) use pending::Pending;
pub(crate) use save::{Saved, create, remove, save, settle};
