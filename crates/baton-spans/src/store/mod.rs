//! Life cycle of spans: queue, write-ahead log, heads in memory, blocks, merged blocks, deletion.
//!
//! Three threads drive it. The writer syncs queued batches and adds them to the heads; the flusher writes full heads as
//! blocks and deletes their log; the keeper merges blocks and enforces retention. Readers take a [`StoreView`], which is
//! replaced atomically.

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
