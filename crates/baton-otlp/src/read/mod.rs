//! Decodes export requests.
//!
//! `size_estimate.rs` estimates the memory of a body first, because two bytes can encode a message that takes hundreds
//! of bytes in memory; `json.rs` decodes OTLP JSON into the same messages as protobuf; `convert.rs` converts them to
//! spans.
//! `signals.rs` counts metrics and log records, which are not stored.

mod convert;
mod count;
mod export;
mod json;
mod object;
mod scalar;
mod signals;
mod size_estimate;

pub use convert::MAX_SPAN_BYTES;
pub use export::{Export, ReadError};
pub use signals::{OtherSignal, SignalCount, SignalError};
pub use size_estimate::{MAX_ITEMS, MAX_SPANS};
