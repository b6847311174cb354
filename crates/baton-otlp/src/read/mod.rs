//! Export requests, from bytes to spans.
//!
//! `weigh.rs` looks at the bytes first, because two bytes can stand for a message that takes hundreds in memory; `json.rs`
//! reads OTLP's JSON into the same messages as protobuf; `take.rs` makes spans of them. `signals.rs` counts metrics and log
//! records, which are not kept.

mod count;
mod export;
mod json;
mod object;
mod scalar;
mod signals;
mod take;
mod weigh;

pub use export::{Export, ReadError};
pub use signals::{OtherSignal, SignalCount, SignalError};
pub use take::MAX_SPAN_BYTES;
pub use weigh::{MAX_ITEMS, MAX_SPANS};
