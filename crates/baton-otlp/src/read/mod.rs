//! Decodes export requests.
//!
//! `weigh.rs` estimates the memory of a body first, because two bytes can encode a message that takes hundreds of bytes
//! in memory; `json.rs` decodes OTLP JSON into the same messages as protobuf; `take.rs` converts them to spans.
//! `signals.rs` counts metrics and log records, which are not stored.

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
