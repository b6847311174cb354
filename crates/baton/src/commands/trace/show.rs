//! `baton trace show`: one trace as a waterfall, and what was said in it.

use super::{also, look::Look, page, rows::Fold, waterfall::Detail};
use crate::{
    commands::place::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_client::{SearchRequest, TraceReply};
use baton_types::{ErrorCode, TraceId};
use clap::Args;

/// What `baton trace show` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736
  baton trace show 0199a3c1-7f11-7c3e-9a51-0242ac120002    the trace of a task
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736 --also http://127.0.0.1:8701
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736 --attributes --width 160 | less
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736 --json | jq '.trace.resourceSpans | length'

Each row is a span: what happened (< a request is answered, > somebody is asked, * within), how
long it took, tokens read and written, and when it was in the trace. Below are the totals, and the
transcript. Spans that repeat are counted after the first few; --all shows each.")]
pub(super) struct Options {
    /// The id of a trace, or of a task
    id: String,
    /// List all attributes, events and links of each span
    #[arg(long)]
    attributes: bool,
    /// Show every span and all of every text
    #[arg(long)]
    all: bool,
    /// How wide it may be [default: the terminal]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Another Baton that the trace went through; may be given several times
    #[arg(long, value_name = "URL")]
    also: Vec<String>,
    #[command(flatten)]
    place: ConnectionOptions,
}

/// Finds the trace and prints it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, CliError> {
    let session = options.place.management_session().await?;
    let found = find(&session, &options.id, screen).await;
    session.close().await;
    let reply = also::gather(found?, &options.also, options.place.token.as_deref()).await?;
    if screen.is_json() {
        screen.print(reply.body.trim_end());
        return Ok(Exit::Ok);
    }
    let look = Look::of_stdout(options.width, screen.stdout_paint());
    let fold = if options.all { Fold::Nothing } else { Fold::Repeated };
    let detail = if options.attributes { Detail::Attributes } else { Detail::Row };
    for line in page::lines(&reply.spans, fold, detail, &look) {
        screen.print(&line);
    }
    if reply.partial {
        screen.print_stderr("some of this trace is missing: it could not be read in time");
    }
    Ok(Exit::Ok)
}

/// The trace with this id, else the newest of the task with this id.
pub(super) async fn find(session: &BatonConnection, id: &str, screen: Screen) -> Result<TraceReply, CliError> {
    let id = id.trim();
    if let Ok(trace) = id.parse::<TraceId>() {
        let reply = by_id(session, trace).await?;
        if !reply.spans.is_empty() {
            return Ok(reply);
        }
    }
    let nobody = || CliError::new(ErrorCode::TRACE_NOT_FOUND, format!("there is no trace and no task '{id}'"));
    if id.is_empty() || id.contains(['"', '\\']) || id.chars().any(char::is_control) {
        return Err(nobody());
    }
    let request = SearchRequest {
        query: format!("{{ span.task.id = \"{id}\" }}"),
        limit: 10,
        spans_per_spanset: 1,
        ..SearchRequest::default()
    };
    let found = session.client.search_traces(&request).await.map_err(client_failure)?;
    let newest = found.traces.first().and_then(|trace| trace.id.parse::<TraceId>().ok()).ok_or_else(nobody)?;
    let others: Vec<&str> = found.traces.iter().skip(1).map(|trace| trace.id.as_str()).collect();
    if !others.is_empty() {
        screen.print_stderr(&format!("the task has more traces: {}", others.join(", ")));
    }
    let reply = by_id(session, newest).await?;
    if reply.spans.is_empty() { Err(nobody()) } else { Ok(reply) }
}

/// A trace; nothing in it when there is none.
async fn by_id(session: &BatonConnection, id: TraceId) -> Result<TraceReply, CliError> {
    match session.client.trace(id).await {
        Err(error) if error.refusal().is_some_and(|refusal| refusal.status == 404) => Ok(TraceReply::default()),
        other => other.map_err(client_failure),
    }
}
