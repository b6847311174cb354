//! How spans move: queue, log, heads in memory, blocks, larger blocks, and away.
//!
//! Three threads do it. The writer syncs what waits and puts it into the heads; the flusher makes blocks of full heads and
//! deletes their log; the keeper merges blocks and drops old ones. Readers take a [`View`], which is replaced whole.

mod answer;
mod close;
mod embedded;
mod flush;
mod hold;
mod merge;
mod open;
mod outgoing;
mod queue;
mod read;
mod recover;
mod retain;
#[cfg(test)]
mod tests;
mod verify;
mod view;
mod writer;

pub use embedded::EmbeddedSpans;
pub(crate) use embedded::{Kept, closed, prepare};
pub use hold::LogPlace;
pub use outgoing::{Outgoing, Parcel};
pub(crate) use queue::{Refused, Waiting};
pub use verify::{damaged_files, set_damaged_blocks_aside};
