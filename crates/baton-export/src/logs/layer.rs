//! Tracing layer that captures log lines.

use super::{LogQueue, fields::Fields};
use baton_otlp::{LogLevel, LogLine};
use baton_spans::wall_clock;
use baton_telemetry::current_span;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{Layer, layer::Context};

/// Modules involved in exporting. Their lines are not exported, since each would cause further lines.
const EXPORT_MODULES: [&str; 12] = [
    "baton_export",
    "baton_outbound",
    "h2",
    "hyper",
    "hyper_rustls",
    "hyper_util",
    "mio",
    "rustls",
    "tokio_util",
    "tonic",
    "tower",
    "want",
];

/// Adds log lines to a queue; never blocks, and ignores lines about exporting.
#[derive(Debug)]
pub struct LogLayer(pub(super) LogQueue);

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let part = event.metadata().target();
        if is_export_module(part) || !self.0.is_open() {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let part = fields.log_target.take().unwrap_or_else(|| part.to_owned());
        if is_export_module(&part) {
            return;
        }
        self.0.push(LogLine {
            at: wall_clock(),
            level: level(*event.metadata().level()),
            scope: part,
            message: fields.message,
            attributes: fields.attributes,
            dropped_attributes: fields.dropped,
            context: current_span(),
        });
    }
}

fn is_export_module(part: &str) -> bool {
    let crate_name = part.split("::").next().unwrap_or(part);
    EXPORT_MODULES.contains(&crate_name)
}

fn level(level: Level) -> LogLevel {
    match level {
        Level::ERROR => LogLevel::Error,
        Level::WARN => LogLevel::Warn,
        Level::INFO => LogLevel::Info,
        Level::DEBUG => LogLevel::Debug,
        Level::TRACE => LogLevel::Trace,
    }
}
