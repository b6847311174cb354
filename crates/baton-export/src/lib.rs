//! Exports spans, metrics and logs to other backends over OTLP.
//!
//! Spans to export are already on disk, in the log of the span store; this crate reads them from there, sends them
//! until the target accepts them, and saves its position. A store in memory has a bounded feed instead. Metrics are read when they are sent, and log lines are queued
//! in memory. This crate must never block code that emits telemetry, never send content of models and tools unless
//! allowed, never log an unavailable backend more than once, and never export log lines about exporting log lines.
//!
//! Read first: [`ExportTarget`] (destination and settings), [`Exporter`] (background tasks), [`LogQueue`] (queue of log
//! lines), [`from_environment`] (OpenTelemetry variables).

mod content;
mod counts;
mod environment;
mod exporter;
mod health;
mod logs;
mod meters;
mod request_body;
mod retry_budget;
mod sender;
mod sent_span_cache;
mod signal_exporter;
mod span_feed;
mod spans;
mod target;

pub use counts::ExportCounts;
pub use environment::{DEFAULT_METRICS_INTERVAL, DEFAULT_TARGET_NAME, from_environment, metrics_interval};
pub use exporter::{ExportOptions, ExportTiming, Exporter};
pub use logs::{LogLayer, LogQueue};
pub use target::{Compression, ExportTarget, OtlpProtocol, Route, Signal};
