//! `baton trace tail`: follows spans as they arrive.

use super::{
    caret,
    formatting::{columns, counted, duration, fit, padded, right_aligned},
    terminal_style::{TerminalStyle, untruncated_width},
};
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
    signals::StopRequests,
};
use baton_api::SpanEntry;
use baton_client::{ClientError, SpanTail, TailEvent};
use baton_telemetry::names;
use baton_types::{Backoff, BackoffPolicy};
use clap::Args;
use std::time::Duration;

/// Reconnects of the stream.
const RECONNECTS: BackoffPolicy = BackoffPolicy::new(Duration::from_millis(200), Duration::from_secs(5));

/// Options of `baton trace tail`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace tail                                       all spans
  baton trace tail '{ status = error }'                  only errors
  baton trace tail '{ span.handoff.to_agent = \"weather\" }'
  baton trace tail --json | jq -r '.name'                one JSON object per line

Prints one line per span when it ends: start time, trace id, service, duration and name. Press
Ctrl-C to stop. The command reconnects if the connection is lost. If it reads too slowly, spans are
skipped and their number is reported.")]
pub(super) struct TraceTailOptions {
    /// Show only spans that match this TraceQL query
    query: Option<String>,
    /// Width in columns [default: the terminal width]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Prints spans until it is stopped.
pub(super) async fn run(options: TraceTailOptions, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let session = session(&options.connection).await?;
    tokio::select! {
        ended = follow(&session, &options, screen) => ended,
        () = stop.first() => Ok(Exit::Ok),
    }
}

/// Connects to a running server. A server in this process would never receive spans.
async fn session(connection: &ConnectionOptions) -> Result<BatonConnection, CliError> {
    let token = connection.token.as_deref();
    if let Some(url) = &connection.server {
        return BatonConnection::connect(url, token);
    }
    let data = connection.settings()?.data;
    let running = BatonConnection::find_running(&data, token).await?;
    running.ok_or_else(|| {
        let message = format!("no server runs for the data directory {}", data.display());
        CliError::new(error_codes::SERVER_UNREACHABLE, message)
    })
}

async fn follow(session: &BatonConnection, options: &TraceTailOptions, screen: Screen) -> Result<Exit, CliError> {
    let query = options.query.as_deref();
    let refused = |error: ClientError| match query {
        Some(query) => caret::failure(error, query, screen),
        None => client_failure(error),
    };
    let look = TerminalStyle::for_stdout(untruncated_width(options.width), screen.stdout_paint());
    let mut tail = session.client.tail_spans(query).await.map_err(refused)?;
    screen.print_stderr("listening; press Ctrl-C to stop");
    let mut backoff = Backoff::new(RECONNECTS);
    loop {
        let outcome = read(&mut tail, screen, &look, &mut backoff).await;
        if let Err(error @ ClientError::Refused(_)) = outcome {
            return Err(refused(error));
        }
        let reason = outcome.err().map(|error| format!(": {error}")).unwrap_or_default();
        screen.print_stderr(&format!("the connection was lost{reason}; spans may be missing until it is restored"));
        tail = loop {
            tokio::time::sleep(backoff.next_delay()).await;
            match session.client.tail_spans(query).await {
                Ok(tail) => break tail,
                Err(error @ ClientError::Refused(_)) => return Err(refused(error)),
                Err(_) => {}
            }
        };
        screen.print_stderr("listening again");
    }
}

/// Prints spans until the stream ends or fails.
async fn read(
    tail: &mut SpanTail,
    screen: Screen,
    look: &TerminalStyle,
    backoff: &mut Backoff,
) -> Result<(), ClientError> {
    while let Some(event) = tail.next().await {
        match event? {
            TailEvent::Span(_, json) if screen.is_json() => screen.print(&json),
            TailEvent::Span(span, _) => screen.print(&line(&span, look)),
            TailEvent::Missed(missed) => {
                screen.print_stderr(&format!("spans arrived too fast: {} missed", counted(missed, "batch")));
            }
        }
        backoff.reset();
    }
    Ok(())
}

/// One line per span; the error message comes last, so it is truncated first.
fn line(span: &SpanEntry, look: &TerminalStyle) -> String {
    let paint = look.paint;
    let mark = look.glyphs.kinds[match span.kind.as_str() {
        "server" => 2,
        "client" => 3,
        "producer" => 4,
        "consumer" => 5,
        _ => 1,
    }];
    let failed = span.status == "error";
    let attribute = |key: &str| span.attributes.get(key).and_then(serde_json::Value::as_str);
    let agent = attribute(names::GEN_AI_AGENT_NAME).or_else(|| attribute(names::AGENT_ID));
    let service = span.service.as_deref().unwrap_or("?");
    let origin = match agent {
        Some(agent) => format!("{service}/{agent}"),
        None => service.to_owned(),
    };
    let origin = padded(&fit(&origin, 24, look.glyphs.more), 18);
    let time = time_of_day(&span.start);
    let took = right_aligned(&duration((span.duration_ms * 1e6) as u64), 7);
    let lead = format!("{time}  {}  {origin}  {took}  ", span.trace_id);
    let room = look.width.saturating_sub(columns(&lead)).max(30);
    let mut description = format!("{mark} {}", span.name);
    if failed {
        let reason = if span.status_message.is_empty() {
            attribute(names::ERROR_TYPE).unwrap_or_default()
        } else {
            &span.status_message
        };
        description = format!("{mark} {} {}: {reason}", look.glyphs.error, span.name);
    }
    let description = fit(&description, room, look.glyphs.more);
    let description = if failed { paint.bad(&description) } else { description };
    format!("{}  {}  {}  {took}  {description}", paint.faint(&time), span.trace_id, paint.name(&origin))
}

/// Time of day of a timestamp, with millisecond precision.
fn time_of_day(moment: &str) -> String {
    let time = moment.split_once('T').map_or(moment, |(_, time)| time).trim_end_matches('Z');
    let (seconds, rest) = time.split_once('.').unwrap_or((time, ""));
    format!("{seconds}.{rest:0<3.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commands::trace::terminal_style::Glyphs, screen::Paint};
    use serde_json::json;

    #[test]
    fn each_span_is_one_line() {
        let look = TerminalStyle { width: 115, glyphs: Glyphs::UNICODE, paint: Paint::PLAIN };
        let span = |status: &str, agent: Option<&str>| SpanEntry {
            trace_id: "4bf92f3577b34da6a3ce929d0e0e4736".into(),
            name: "execute_tool get_weather".into(),
            kind: "client".into(),
            status: status.into(),
            status_message: if status == "error" { "no such city".into() } else { String::new() },
            start: "2026-11-16T08:00:00.123456789Z".into(),
            duration_ms: 12.345_678,
            service: Some("baton".into()),
            attributes: agent.map(|agent| ("gen_ai.agent.name".into(), json!(agent))).into_iter().collect(),
            ..SpanEntry::default()
        };
        assert_eq!(
            [line(&span("unset", Some("weather")), &look), line(&span("error", None), &look)],
            [
                "08:00:00.123  4bf92f3577b34da6a3ce929d0e0e4736  baton/weather        12.3ms  ▸ execute_tool get_weather",
                "08:00:00.123  4bf92f3577b34da6a3ce929d0e0e4736  baton                12.3ms  ▸ ✗ execute_tool get_weather: no such…",
            ]
        );
    }
}
