//! `baton trace show`: one trace as a waterfall and a transcript.

use super::{merge, rows::Fold, terminal_style::TerminalStyle, text_output, waterfall::WaterfallDetail};
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_client::{SearchRequest, TraceReply};
use baton_types::TraceId;
use clap::Args;

/// Options of `baton trace show`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736
  baton trace show 0199a3c1-7f11-7c3e-9a51-0242ac120002    show the trace of a task
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736 --also http://127.0.0.1:8701
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736 --attributes --width 160 | less
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736 --json | jq '.trace.resourceSpans | length'

Each row is a span: its kind (< server, > client, * internal) and name, duration, input and output
tokens, and a bar for its time within the trace. Totals and the transcript follow. Repeated spans
are folded after the first few; use --all to show each.")]
pub(super) struct TraceShowOptions {
    /// Trace id or task id
    id: String,
    /// List all attributes, events and links of each span
    #[arg(long)]
    attributes: bool,
    /// Show all spans and untruncated texts
    #[arg(long)]
    all: bool,
    /// Width in columns [default: the terminal width]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Address of another server with spans of the trace; repeatable
    #[arg(long, value_name = "URL")]
    also: Vec<String>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Fetches the trace and prints it.
pub(super) async fn run(options: TraceShowOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let found = find(&session, &options.id, screen).await;
    session.close().await;
    let reply = merge::merge_servers(found?, &options.also, options.connection.token.as_deref()).await?;
    if screen.is_json() {
        screen.print(reply.body.trim_end());
        return Ok(Exit::Ok);
    }
    let look = TerminalStyle::for_stdout(options.width, screen.stdout_paint());
    let fold = if options.all { Fold::Nothing } else { Fold::Repeated };
    let detail = if options.attributes { WaterfallDetail::Attributes } else { WaterfallDetail::Row };
    for line in text_output::lines(&reply.spans, fold, detail, &look) {
        screen.print(&line);
    }
    if reply.partial {
        screen.print_stderr("the trace is incomplete: some spans could not be read in time");
    }
    Ok(Exit::Ok)
}

/// The trace with this id, or the newest trace of the task with this id.
pub(super) async fn find(session: &BatonConnection, id: &str, screen: Screen) -> Result<TraceReply, CliError> {
    let id = id.trim();
    if let Ok(trace) = id.parse::<TraceId>() {
        let reply = by_id(session, trace).await?;
        if !reply.spans.is_empty() {
            return Ok(reply);
        }
    }
    let not_found = || CliError::new(error_codes::TRACE_NOT_FOUND, format!("no trace or task has the id '{id}'"));
    if id.is_empty() || id.contains(['"', '\\']) || id.chars().any(char::is_control) {
        return Err(not_found());
    }
    let request = SearchRequest {
        query: format!("{{ span.task.id = \"{id}\" }}"),
        limit: 10,
        spans_per_spanset: 1,
        ..SearchRequest::default()
    };
    let found = session.client.search_traces(&request).await.map_err(client_failure)?;
    let newest = found.traces.first().and_then(|trace| trace.id.parse::<TraceId>().ok()).ok_or_else(not_found)?;
    let others: Vec<&str> = found.traces.iter().skip(1).map(|trace| trace.id.as_str()).collect();
    if !others.is_empty() {
        screen.print_stderr(&format!("the task has more traces: {}", others.join(", ")));
    }
    let reply = by_id(session, newest).await?;
    if reply.spans.is_empty() { Err(not_found()) } else { Ok(reply) }
}

/// Fetches a trace; returns an empty reply if it does not exist.
async fn by_id(session: &BatonConnection, id: TraceId) -> Result<TraceReply, CliError> {
    match session.client.trace(id).await {
        Err(error) if error.refusal().is_some_and(|refusal| refusal.status == 404) => Ok(TraceReply::default()),
        other => other.map_err(client_failure),
    }
}
