//! Spans, metrics and logs on their way to other backends, over OTLP.
//!
//! Spans that have to be sent lie on disk already, in the log of the span store; this crate reads them from there, sends
//! them until the other side has taken them, and remembers how far it came. What meters show is read when it is sent, and
//! lines of the log wait in memory. This crate must never make anybody wait who emits, never send what models and tools
//! said unless it was allowed to, never complain more than once about a backend that is not there, and never send lines
//! that tell of sending lines.
//!
//! Read first: [`ExportTarget`] (where to, and how), [`Exporter`] (what runs), [`LogQueue`] (how lines come here),
//! [`from_environment`] (the usual variables).

mod backoff;
mod carrier;
mod content;
mod counts;
mod courier;
mod environment;
mod exporter;
mod logs;
mod meters;
mod pack;
mod patience;
mod seen;
mod spans;
mod standing;
mod target;

pub use counts::ExportCounts;
pub use environment::{ASSUMED, METER_INTERVAL, from_environment, meter_interval};
pub use exporter::{ExportOptions, Exporter, Pace};
pub use logs::{LogLayer, LogQueue};
pub use target::{Compression, ExportTarget, Protocol, Route, Signal};
