//! A journal in process memory, for tests and simulation.

mod journal;
mod list;
mod state;

pub use journal::MemoryJournal;
