//! Span store: spans of agents and their tools, kept on disk and searched with TraceQL.
//!
//! Spans go to a write-ahead log that is synced before they are acknowledged, then to an in-memory head where they are
//! searchable at once, then to immutable blocks: an inverted index by value, a trace table, and the spans in compressed
//! frames. This crate must never interpret a query (`baton-traceql` does), never exceed its memory limits, and never
//! expose an incomplete block.
//!
//! Read first: `Segment` (the searchable unit), [`EmbeddedSpans`] (how spans move through the store).

mod block;
mod codec;
mod disk;
mod emitter;
mod feed;
mod head;
mod index;
mod options;
mod projector;
mod recording;
mod search;
mod segment;
mod store;
mod wal;

pub use emitter::Emitter;
pub use options::{Hold, Options, Probe, Retention, wall_clock};
pub use projector::{FactSpans, Projecting, Projector};
pub use recording::{Recorded, Recording};
pub use store::{EmbeddedSpans, LogPlace, Outgoing, Parcel, damaged_files, set_damaged_blocks_aside};
pub use wal::Gathered;
