//! `baton tools list`: tools by source, then MCP servers.

use super::agent_selector::{AgentSelector, parse_wait};
use crate::{
    failure::{CliError, Exit},
    screen::{Screen, columns, one_line},
};
use baton_api::{ServerEntry, ToolEntry, ToolList};
use baton_types::Permission;
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// Maximum characters of a text from a third party.
const MAX_TEXT_CHARS: usize = 120;
/// Maximum number of log lines shown per server.
const MAX_LOG_LINES: usize = 5;

/// Options of `baton tools list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools list weather
  baton tools list helper --wait 30s           give slow MCP servers more time
  baton tools list helper --json | jq '.servers[] | select(.state != \"ready\")'

For a server that is not ready, the list shows the reason, a hint, and the last lines of its stderr.
Its tools are missing until it is ready.")]
pub(super) struct ToolListOptions {
    #[command(flatten)]
    selector: AgentSelector,
    /// Time to wait for MCP servers that are starting
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_wait)]
    wait: Duration,
}

/// Prints the tools and servers.
pub(super) async fn run(options: ToolListOptions, screen: Screen) -> Result<Exit, CliError> {
    let ToolListOptions { selector, wait } = options;
    let session = selector.session(screen).await?;
    let list = selector.tools(&session, wait, |_| false).await;
    session.close().await;
    let list = list?;
    match screen.is_json() {
        true => screen.print(&json!(list).to_string()),
        false => print(&list, screen),
    }
    Ok(Exit::Ok)
}

fn print(list: &ToolList, screen: Screen) {
    let paint = screen.stdout_paint();
    if list.tools.is_empty() {
        screen.print_stderr("no tools");
    }
    let mut sources: Vec<&str> = Vec::new();
    for tool in &list.tools {
        if !sources.contains(&tool.source.as_str()) {
            sources.push(&tool.source);
        }
    }
    // Tools from the agent's definition come first, then those of its servers.
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
        for line in list.servers.iter().zip(table(&list.servers)).flat_map(|(server, head)| server_lines(server, head))
        {
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
        other => one_line(&other.replacen("server:", "server ", 1), MAX_TEXT_CHARS),
    }
}

fn row(tool: &ToolEntry) -> [String; 2] {
    let asks = if tool.permission == Permission::Ask { "(asks first) " } else { "" };
    [one_line(&tool.name, MAX_TEXT_CHARS), one_line(&format!("{asks}{}", tool.description), MAX_TEXT_CHARS)]
}

/// One line per server: name, transport, state and details.
fn table(servers: &[ServerEntry]) -> Vec<String> {
    let row = |server: &ServerEntry| {
        let details = match (&server.reason, &server.protocol) {
            (Some(reason), _) => one_line(reason, MAX_TEXT_CHARS),
            (None, Some(protocol)) => format!("{protocol}, {}", count(server.tools)),
            (None, None) if server.state == "starting" => "no response yet".to_owned(),
            (None, None) => String::new(),
        };
        [one_line(&server.name, MAX_TEXT_CHARS), server.transport.clone(), server.state.replace('_', " "), details]
    };
    columns(&servers.iter().map(row).collect::<Vec<_>>())
}

fn count(tools: usize) -> String {
    format!("{tools} tool{}", if tools == 1 { "" } else { "s" })
}

fn server_lines(server: &ServerEntry, head: String) -> Vec<String> {
    let mut lines = vec![head];
    lines.extend(server.hint.iter().map(|hint| format!("  hint: {}", one_line(hint, 2 * MAX_TEXT_CHARS))));
    if server.state != "ready" {
        // A server that is restarted repeatedly logs the same lines each time.
        let mut log = server.log.clone();
        log.dedup();
        let from = log.len().saturating_sub(MAX_LOG_LINES);
        lines.extend(log[from..].iter().map(|line| format!("  | {}", one_line(line, MAX_TEXT_CHARS))));
    }
    lines
}
