//! Optional logging to standard error.

use crate::{Error, error_codes};
use baton_local::{JsonLines, LogWriter};
use tracing_subscriber::{filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _};

const LEVEL: &str = "BATON_LOG";
const FORMAT: &str = "BATON_LOG_FORMAT";

/// Starts logging; later calls have no effect.
pub(crate) fn start() -> Result<(), Error> {
    let level = env_var(LEVEL).unwrap_or_else(|| "info".to_owned());
    let wrong = |message: String| Error::new(error_codes::USAGE, message);
    // The MCP library logs the start and end of a service for every request.
    let filter: Targets =
        format!("rmcp=off,{level}").parse().map_err(|error| wrong(format!("{LEVEL}={level}: {error}")))?;
    let json = match env_var(FORMAT).as_deref() {
        None | Some("text") => false,
        Some("json") => true,
        Some(value) => return Err(wrong(format!("{FORMAT}={value}: use text or json"))),
    };
    let lines = || tracing_subscriber::fmt::layer().with_ansi(false);
    let log = tracing_subscriber::registry().with(filter);
    // Fails only if a subscriber is already set, which is kept.
    drop(if json {
        let lines = lines().with_writer(LogWriter::json());
        log.with(lines.json().event_format(JsonLines::default())).try_init()
    } else {
        log.with(lines().with_writer(LogWriter::text(env_var("NO_COLOR").is_none()))).try_init()
    });
    Ok(())
}

fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
