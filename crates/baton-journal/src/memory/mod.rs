//! A journal in process memory, for tests and simulation.

mod claims;
mod journal;
mod list;
mod outbox;
mod retain;
mod state;

pub use journal::MemoryJournal;
