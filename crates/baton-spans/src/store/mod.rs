//! Life cycle of spans: queue, write-ahead log, heads in memory, blocks, merged blocks, deletion.
//!
//! Three threads drive it. The writer syncs queued batches and adds them to the heads; the flusher writes full heads as
//! blocks and deletes their log; the keeper merges blocks and enforces retention. Readers take a [`view::StoreView`],
//! which is replaced atomically.

mod answer;
mod close;
mod embedded;
mod flush;
mod log_reader;
mod log_retention;
mod merge;
mod open;
mod producers;
mod queue;
mod read;
mod recover;
mod retain;
#[cfg(test)]
mod tests;
mod verify;
mod view;
mod writer;

pub use embedded::EmbeddedSpanStore;
pub(crate) use embedded::{IngestReceipt, closed, prepare_batch};
pub use log_reader::{SpanLogBatch, SpanLogReader};
pub use log_retention::LogPosition;
pub(crate) use producers::SubmissionRequests;
pub(crate) use queue::{EnqueueError, PendingBatch};
pub use verify::{damaged_files, quarantine_damaged_blocks};
