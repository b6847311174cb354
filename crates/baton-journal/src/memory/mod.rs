//! A journal in process memory, for tests and simulation.

mod claims;
mod conversations;
mod journal;
mod list;
mod outbox;
mod retain;
mod state;
mod tokens;

pub use journal::MemoryJournal;
