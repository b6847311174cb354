//! Spans, metrics and logs on their way to other backends, over OTLP.
//!
//! What has to be sent lies on disk already, in the log of the span store; this crate reads it from there, sends it until
//! the other side has taken it, and remembers how far it came. It must never make anybody wait who emits, never send what
//! models and tools said unless it was allowed to, and never complain more than once about a backend that is not there.
//!
//! Read first: [`ExportTarget`] (where to, and how), [`Exporter`] (what runs), [`from_environment`] (the usual variables).

mod backoff;
mod content;
mod counts;
mod courier;
mod environment;
mod exporter;
mod pack;
mod seen;
mod spans;
mod standing;
mod target;

pub use counts::ExportCounts;
pub use environment::{ASSUMED, from_environment};
pub use exporter::{ExportOptions, Exporter, Pace};
pub use target::{Compression, ExportTarget, Protocol, Route, Signal};
