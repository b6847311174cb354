//! Write-ahead log: spans are acknowledged once they are synced here.
//!
//! A log file belongs to one generation of heads and is no longer needed when blocks hold all its spans; it may be
//! retained for readers that forward spans. A group of batches is one frame, written and synced before the next: an
//! intact frame after a broken one can only mean damage, while a broken frame at the very end is the trace of a crash.

mod batch;
mod file;
mod frame;
mod read;
mod tail;

pub use batch::SpanBatchEncoder;
pub(crate) use batch::{EncodedBatch, TARGET_BATCH_BYTES, WalEntry, Watermarks, read_entry};
pub(crate) use file::{AppendError, LogFile, log_file_name, log_file_number};
pub(crate) use read::{LogFilePosition, ReplaySummary, replay, salvage};
pub(crate) use tail::LogTail;
