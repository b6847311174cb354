//! `baton tools list AGENT`: tools by where they come from, then the servers.

use super::which::{Which, patience};
use crate::{
    failure::{Exit, Failure},
    screen::{Screen, columns, one_line},
};
use baton_types::Permission;
use baton_wire::api::{ServerEntry, ToolEntry, ToolList};
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// Most characters of a text that somebody else chose.
const SHOWN: usize = 120;
/// Lines of a server's log that are shown.
const LOG_LINES: usize = 5;

/// What `baton tools list` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools list weather
  baton tools list helper --wait 30s           give slow MCP servers more time
  baton tools list helper --json | jq '.servers[] | select(.state != \"ready\")'

A server that is not ready is named with the reason, what to do, and the last lines that it wrote
to its stderr. Its tools are missing from the list until it is ready.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// How long to wait for servers that are on their way
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = patience)]
    wait: Duration,
}

/// Lists them.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, wait } = options;
    let session = which.session(screen).await?;
    let list = which.tools(&session, wait, |_| false).await;
    session.close().await;
    let list = list?;
    match screen.is_json() {
        true => screen.print(&json!(list).to_string()),
        false => print(&list, screen),
    }
    Ok(Exit::Ok)
}

fn print(list: &ToolList, screen: Screen) {
    let paint = screen.data_paint();
    if list.tools.is_empty() {
        screen.say("no tools");
    }
    let mut sources: Vec<&str> = Vec::new();
    for tool in &list.tools {
        if !sources.contains(&tool.source.as_str()) {
            sources.push(&tool.source);
        }
    }
    // What the agent itself defines comes first, then its servers.
    sources.sort_by_key(|source| (source.starts_with("server:"), *source));
    for source in sources {
        screen.print(&paint.strong(&heading(source)));
        let tools = list.tools.iter().filter(|tool| tool.source == source);
        let rows: Vec<[String; 2]> = tools.map(row).collect();
        for line in columns(&rows) {
            screen.print(&format!("  {line}"));
        }
    }
    if !list.servers.is_empty() {
        screen.print(&paint.strong("MCP servers"));
        for line in list.servers.iter().zip(table(&list.servers)).flat_map(|(server, head)| about(server, head)) {
            screen.print(&format!("  {line}"));
        }
    }
}

fn heading(source: &str) -> String {
    match source {
        "command" => "programs".to_owned(),
        "http" => "HTTP services".to_owned(),
        "native" => "functions".to_owned(),
        "baton" => "Baton".to_owned(),
        other => one_line(&other.replacen("server:", "server ", 1), SHOWN),
    }
}

fn row(tool: &ToolEntry) -> [String; 2] {
    let asks = if tool.permission == Permission::Ask { "(asks first) " } else { "" };
    [one_line(&tool.name, SHOWN), one_line(&format!("{asks}{}", tool.description), SHOWN)]
}

/// A line for each server: its name, its state, and what is known of it.
fn table(servers: &[ServerEntry]) -> Vec<String> {
    let row = |server: &ServerEntry| {
        let what = match (&server.reason, &server.protocol) {
            (Some(reason), _) => one_line(reason, SHOWN),
            (None, Some(protocol)) => format!("{protocol}, {}", count(server.tools)),
            (None, None) if server.state == "starting" => "it has not answered yet".to_owned(),
            (None, None) => String::new(),
        };
        [one_line(&server.name, SHOWN), server.transport.clone(), server.state.replace('_', " "), what]
    };
    columns(&servers.iter().map(row).collect::<Vec<_>>())
}

fn count(tools: usize) -> String {
    format!("{tools} tool{}", if tools == 1 { "" } else { "s" })
}

fn about(server: &ServerEntry, head: String) -> Vec<String> {
    let mut lines = vec![head];
    lines.extend(server.hint.iter().map(|hint| format!("  hint: {}", one_line(hint, 2 * SHOWN))));
    if server.state != "ready" {
        // A server that is tried again and again says the same each time.
        let mut log = server.log.clone();
        log.dedup();
        let from = log.len().saturating_sub(LOG_LINES);
        lines.extend(log[from..].iter().map(|line| format!("  | {}", one_line(line, SHOWN))));
    }
    lines
}
