//! The journal port on SQLite and in memory: the only place where a fact becomes true.
//!
//! This crate must never interpret an event: it stores what it is given, checks versions, epochs and claims, and
//! gives it back in order. It reads no clock (every moment is an argument) and is the only crate that opens a database.
//!
//! Read first: [`SqliteJournal`] (the durable one), [`MemoryJournal`] (the same semantics for tests and simulation),
//! [`fault::FaultyJournal`] (any of them, with faults injected).

mod check;
pub mod fault;
mod memory;
mod sqlite;
mod stored;

pub use memory::MemoryJournal;
pub use sqlite::{Absent, DirectoryLock, JournalRepair, Options, QuarantinedStream, SqliteJournal, is_owned, repair};
