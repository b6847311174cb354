//! Span store: spans of agents and their tools, kept on disk and searched with TraceQL.
//!
//! Spans go to a write-ahead log that is synced before they are acknowledged, then to an in-memory head where they are
//! searchable at once, then to immutable blocks: an inverted index by value, a trace table, and the spans in compressed
//! frames. This crate must never interpret a query (`baton-traceql` does), never exceed its memory limits, and never
//! expose an incomplete block.
//!
//! Read first: `Segment` (the searchable unit), [`EmbeddedSpanStore`] (how spans move through the store).

mod block;
mod codec;
mod disk;
mod emitter;
mod feed;
mod head;
mod index;
mod options;
mod projector;
mod search;
mod segment;
mod store;
mod wal;

pub use emitter::SpanEmitter;
pub use options::{LogRetentionOptions, Probe, SpanStoreOptions, TelemetryRetention, wall_clock};
pub use projector::{ProjectionRequests, ProjectionStore, ProjectorHandle, SpanProjector};
pub use store::{
    EmbeddedSpanStore, LogPosition, SpanLogBatch, SpanLogReader, damaged_files, quarantine_damaged_blocks,
};
pub use wal::SpanBatchEncoder;
