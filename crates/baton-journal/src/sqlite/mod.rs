//! The durable journal: one SQLite file in WAL mode, one writer thread that commits what is queued in groups, a few
//! readers.
//!
//! An append is encoded by its caller, queued, checked and written by the writer together with everything else that
//! was queued, synced, told to the observer, and only then answered.

mod append;
mod blobs;
mod cache;
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
pub use open::{Absent, DirectoryLock, Options, is_owned};
pub use repair::{JournalRepair, QuarantinedStream, repair};
