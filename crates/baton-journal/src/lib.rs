//! The journal port on SQLite and in memory: the single source of truth.
//!
//! This crate must never interpret an event: it stores events unchanged, checks versions, epochs and claims, and
//! returns events in order. It reads no clock (every time is an argument) and is the only crate that opens a database.
//!
//! Read first: [`SqliteJournal`] (durable), [`MemoryJournal`] (the same semantics for tests and simulation),
//! [`fault::FaultyJournal`] (wraps either one and injects faults).

mod check;
pub mod fault;
mod memory;
mod sqlite;
mod stored_events;

pub use memory::MemoryJournal;
pub use sqlite::{
    AbsentJournal, DirectoryLock, JournalOptions, JournalRepair, QuarantinedStream, SqliteJournal, is_owned, repair,
};
