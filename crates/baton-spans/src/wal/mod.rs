//! The log: what has to be on disk before anybody is told that it is kept.
//!
//! A file of the log belongs to one generation of heads and is not needed when blocks hold all that is in it; it may be
//! held for those who send spans on. A group of
//! batches is one frame, written and synced before the next: a whole frame behind a broken one can therefore only mean
//! damage, while a broken one at the very end is what a crash leaves.

mod batch;
mod file;
mod frame;
mod read;
mod tail;

pub use batch::Gathered;
pub(crate) use batch::{Body, Entry, Marks, Written, read_entry};
pub(crate) use file::{Failed, LogFile, name_of, number_of};
pub(crate) use read::{Place, Replayed, replay, salvage};
pub(crate) use tail::Tail;
