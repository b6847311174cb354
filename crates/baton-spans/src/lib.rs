//! The span store: what agents and their tools did, kept on disk and found by TraceQL.
//!
//! Spans go to a log that is synced before anybody is told that they are kept, then to a head in memory where they
//! are found at once, then to immutable blocks: an inverted index by value, a table of traces, and the spans themselves
//! in compressed frames. This crate must never decide what a query means (that is `baton-traceql`), never hold more in
//! memory than it says, and never show a block that is not whole.
//!
//! Read first: `Segment` (what can be searched), [`EmbeddedSpans`] (how spans move through it).

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
