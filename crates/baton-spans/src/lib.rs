//! The span store: what agents and their tools did, kept on disk and found by TraceQL.
//!
//! Spans go to a log that is synced before anybody is told that they are kept, then to a head in memory where they
//! are found at once, then to immutable blocks: columns, an inverted index, and the spans themselves in compressed
//! frames. This crate must never decide what a query means (that is `baton-traceql`), never hold more in memory than it
//! says, and never show a block that is not whole.
//!
//! Read first: `Segment` (what can be searched), `Store` (how spans move through it).

mod block;
mod codec;
mod head;
mod index;
mod segment;
