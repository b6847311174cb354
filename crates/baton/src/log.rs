//! Logging to stderr (quiet by default) and to log export.

use crate::failure::CliError;
use baton_local::{JsonLines, LogWriter};
use baton_server::export::LogQueue;
use baton_types::ErrorCode;
use clap::{Args, ValueEnum};
use std::sync::OnceLock;
use tracing_subscriber::{filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Log level and format.
#[derive(Args, Clone, Debug)]
pub(crate) struct LogOptions {
    /// Log level: error, warn, info, debug, trace, or a filter
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        default_value = "warn",
        env = "BATON_LOG",
        help_heading = "Logging"
    )]
    pub(crate) log: String,
    /// Log format: text, or one JSON object per line
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        default_value = "text",
        env = "BATON_LOG_FORMAT",
        help_heading = "Logging"
    )]
    pub(crate) log_format: LogFormat,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Log lines for export; one queue per process.
static LOG_QUEUE: OnceLock<LogQueue> = OnceLock::new();

/// The queue of log lines for export.
pub(crate) fn log_queue() -> &'static LogQueue {
    LOG_QUEUE.get_or_init(LogQueue::default)
}

/// Starts logging; later calls have no effect.
pub(crate) fn start(options: &LogOptions) -> Result<(), CliError> {
    // The MCP library logs every unreachable server as an error; server statuses report that better.
    let filter: Targets = format!("rmcp=off,{}", options.log).parse().map_err(|error| {
        CliError::new(ErrorCode::CONFIG_INVALID, format!("--log {}: {error}", options.log))
            .hint("Use error, warn, info, debug, trace, or a filter such as warn,baton_http=debug.")
    })?;
    let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let shown = || tracing_subscriber::fmt::layer().with_ansi(false);
    let log = tracing_subscriber::registry().with(filter).with(log_queue().layer());
    let started = match options.log_format {
        LogFormat::Text => log.with(shown().with_writer(LogWriter::text(colour))).try_init(),
        LogFormat::Json => {
            let lines = shown().with_writer(LogWriter::json()).json().event_format(JsonLines::default());
            log.with(lines).try_init()
        }
    };
    // Only a second start fails; the first subscriber stays in place.
    drop(started);
    Ok(())
}
