//! `baton trace queries`: lists saved queries.

use super::{
    formatting::{columns, fit, padded},
    saved_queries::{self, SavedQuery},
    terminal_style::{TerminalStyle, untruncated_width},
};
use crate::{
    commands::connection_options::ConnectionOptions,
    failure::{CliError, Exit},
    screen::Screen,
};
use clap::Args;
use std::path::PathBuf;

/// Options of `baton trace queries`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace queries
  baton trace query @errors                              run one
  baton trace queries --json | jq -r '.[].name'

Define your own queries in queries.yaml, in the data directory or next to baton.yaml. They replace
built-in queries with the same name:

  - name: refunds
    query: '{ span.gen_ai.tool.name = \"refund\" } | count_over_time() by (status)'
    description: Refunds by status
    since: 7d")]
pub(super) struct TraceQueriesOptions {
    /// Read this file instead of the default files
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Width of the table in columns [default: the terminal width]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Prints the saved queries.
pub(super) fn run(options: &TraceQueriesOptions, screen: Screen) -> Result<Exit, CliError> {
    let all = saved_queries::load_all(options.queries.as_deref(), &options.connection)?;
    if screen.is_json() {
        let list: Vec<serde_json::Value> = all.iter().map(object).collect();
        screen.print(&serde_json::Value::from(list).to_string());
        return Ok(Exit::Ok);
    }
    let look = TerminalStyle::for_stdout(untruncated_width(options.width), screen.stdout_paint());
    for line in lines(&all, &look) {
        screen.print(&line);
    }
    screen.print_stderr("run one with: baton trace query @NAME");
    Ok(Exit::Ok)
}

fn object(saved: &SavedQuery) -> serde_json::Value {
    let file = saved.file.as_ref().map(|file| file.display().to_string());
    serde_json::json!({
        "name": saved.name, "query": saved.query, "description": saved.description, "file": file,
    })
}

/// Two lines per query: description and TraceQL.
fn lines(all: &[SavedQuery], look: &TerminalStyle) -> Vec<String> {
    let width = all.iter().map(|saved| columns(&saved.name)).max().unwrap_or(0);
    let indent = " ".repeat(width + 2);
    let room = look.width.saturating_sub(indent.len());
    let two = |saved: &SavedQuery| {
        let file = saved.file.as_ref().map(|file| format!(" ({})", file.display())).unwrap_or_default();
        let about = fit(&format!("{}{file}", saved.description), room, look.glyphs.more);
        let query = saved.query.split_whitespace().collect::<Vec<_>>().join(" ");
        let first = format!("{}  {about}", look.paint.name(&padded(&saved.name, width)));
        let second = format!("{indent}{}", look.paint.faint(&fit(&query, room, look.glyphs.more)));
        [first.trim_end().to_owned(), second]
    };
    all.iter().flat_map(two).collect()
}
