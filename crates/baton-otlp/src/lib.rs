//! OTLP and Tempo's answers, as messages and as JSON, mapped to and from spans; what meters show and lines of a log are
//! only written, and those of others only counted.
//!
//! This crate must never listen, send or store: it turns bytes into values and back. Its messages never reach further
//! than the edges that speak these protocols, and nothing that arrives can make it use more memory than it announced.
//!
//! Read first: [`Export`] (what an exporter sent, weighed and then read), [`Arrival`] (its spans, and those that were
//! refused), [`resource_spans`] (spans as messages), [`write_meters`] and [`LogLine`] (the other signals), [`tempo`]
//! (answers that Tempo's clients read).

mod arrival;
mod encoding;
mod json;
mod lines;
mod meters;
pub mod proto;
mod read;
mod status;
mod tell;
pub mod tempo;
mod write;

pub use arrival::{Arrival, Rejection};
pub use encoding::Encoding;
pub use lines::{LogLevel, LogLine, logs_request, write_lines};
pub use meters::{metrics_request, write_meters};
pub use read::{Export, MAX_ITEMS, MAX_SPAN_BYTES, MAX_SPANS, OtherSignal, ReadError, SignalCount, SignalError};
pub use status::{RpcDetail, RpcStatus};
pub use tell::{export_request, resource_spans};
pub use write::write_export;
