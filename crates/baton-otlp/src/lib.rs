//! Encodes and decodes OTLP and Tempo responses, in protobuf and JSON. Metrics and log records are only encoded;
//! received ones are only counted.
//!
//! This crate must never listen, send or store: it converts bytes to values and back. Its messages stay within the
//! adapters of these protocols, and no input can make it use more memory than it estimated.
//!
//! Read first: [`Export`] (an export request, measured before it is decoded), [`DecodedExport`] (its decoded and
//! rejected spans), [`resource_spans`] (spans as messages), [`write_metrics`] and [`LogLine`] (the other signals),
//! [`tempo`] (responses for Tempo clients).

mod decoded_export;
mod encoding;
mod json;
mod lines;
mod meters;
pub mod proto;
mod read;
mod span_messages;
mod status;
pub mod tempo;
mod write;

pub use decoded_export::{DecodedExport, SpanRejection};
pub use encoding::Encoding;
pub use lines::{LogLevel, LogLine, logs_request, write_lines};
pub use meters::{metrics_request, write_metrics};
pub use read::{Export, MAX_ITEMS, MAX_SPAN_BYTES, MAX_SPANS, OtherSignal, ReadError, SignalCount, SignalError};
pub use span_messages::{attribute, attributes, export_request, resource_spans};
pub use status::{RpcDetail, RpcStatus};
pub use write::write_export;
