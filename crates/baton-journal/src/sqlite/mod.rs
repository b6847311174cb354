//! The durable journal: one SQLite file in WAL mode, one writer thread with group commit, a few reader threads.
//!
//! An append is encoded by its caller and queued. The writer checks and writes it together with all other queued jobs,
//! syncs, notifies the observer, and only then resolves the receipt.

mod append;
mod blobs;
mod cache;
mod checkpoint;
mod claims;
mod conversations;
mod deletions;
mod encode;
mod error;
mod job;
mod journal;
mod lease;
mod list;
mod load;
mod migrate;
mod open;
mod outbox;
mod probe;
mod queue;
mod readers;
mod repair;
mod retain;
mod rows;
mod tallies;
mod tokens;
mod writer;

pub use journal::SqliteJournal;
pub use open::{AbsentJournal, DirectoryLock, JournalOptions, is_owned};
pub use repair::{JournalRepair, QuarantinedStream, repair};
