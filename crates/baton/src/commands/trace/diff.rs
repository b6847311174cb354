//! `baton trace diff`: compares two traces.

use super::{
    matched_tree::{PairSide, match_trees},
    merge,
    rows::Fold,
    show, side_by_side,
    span_attributes::SpanTokens,
    terminal_style::TerminalStyle,
    totals::TraceTotals,
    tree::TraceTree,
};
use crate::{
    commands::connection_options::ConnectionOptions,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_types::Span;
use clap::Args;
use serde_json::{Value, json};

/// Options of `baton trace diff`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace diff 4bf92f3577b34da6a3ce929d0e0e4736 0af7651916cd43dd8448eb211c80319c
  baton trace diff 0199a3c1-7f11-7c3e-9a51-0242ac120002 0199a3c1-9d2e-7a41-b0c3-0242ac120002
  baton trace diff A B --json | jq '.spans[] | select(.a == null) | .name'

Prints the totals of both traces, then their spans as one tree. Spans with the same name and
position share a row, and so do siblings with the same name (x3). Rows marked - are only in A, rows
marked + only in B. Each row has the time, tokens and cost of both traces, and the errors of each.")]
pub(super) struct TraceDiffOptions {
    /// Trace id or task id
    a: String,
    /// Trace id or task id to compare with
    b: String,
    /// Show all rows
    #[arg(long)]
    all: bool,
    /// Width in columns [default: the terminal width]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Address of another server with spans of the traces; repeatable
    #[arg(long, value_name = "URL")]
    also: Vec<String>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Fetches both traces and prints the comparison.
pub(super) async fn run(options: TraceDiffOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let found = match show::find(&session, &options.a, screen).await {
        Ok(a) => show::find(&session, &options.b, screen).await.map(|b| (a, b)),
        Err(failure) => Err(failure),
    };
    session.close().await;
    let ((a, b), token) = (found?, options.connection.token.as_deref());
    let a = merge::merge_servers(a, &options.also, token).await?;
    let b = merge::merge_servers(b, &options.also, token).await?;
    if screen.is_json() {
        screen.print(&diff_json(&a.spans, &b.spans).to_string());
        return Ok(Exit::Ok);
    }
    let look = TerminalStyle::for_stdout(options.width, screen.stdout_paint());
    let fold = if options.all { Fold::Nothing } else { Fold::Repeated };
    for line in side_by_side::lines(&a.spans, &b.spans, fold, &look) {
        screen.print(&line);
    }
    if a.partial || b.partial {
        screen.print_stderr("the traces are incomplete: some spans could not be read in time");
    }
    Ok(Exit::Ok)
}

/// JSON output: the matched spans in tree order, each with its depth.
fn diff_json(a: &[Span], b: &[Span]) -> Value {
    let (a, b) = (TraceTree::new(a), TraceTree::new(b));
    let both = match_trees(&a, &b);
    let mut open: Vec<usize> = both.roots.iter().rev().copied().collect();
    let mut places = Vec::with_capacity(both.pairs.len());
    while let Some(index) = open.pop() {
        let pair = &both.pairs[index];
        open.extend(pair.children.iter().rev());
        places
            .push(json!({ "name": pair.name, "depth": pair.depth, "a": side_json(&pair.a), "b": side_json(&pair.b) }));
    }
    json!({ "a": totals_json(&a), "b": totals_json(&b), "spans": places })
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn totals_json(tree: &TraceTree<'_>) -> Value {
    let totals = TraceTotals::from_tree(tree);
    let mut object = json!({
        "trace_id": tree.nodes.first().map(|node| node.span.trace.to_string()),
        "duration_ms": millis(tree.duration()),
        "spans": totals.spans(),
        "errors": totals.errors(),
    });
    add_usage(&mut object, totals.tokens(), totals.cost());
    object
}

fn side_json(side: &PairSide) -> Value {
    if side.spans == 0 {
        return Value::Null;
    }
    let mut object = json!({ "spans": side.spans, "duration_ms": millis(side.nanos), "errors": side.errors });
    add_usage(&mut object, side.tokens, side.cost);
    if let Some(error) = &side.error {
        object["error"] = json!(error);
    }
    object
}

fn add_usage(object: &mut Value, tokens: Option<SpanTokens>, cost: Option<f64>) {
    if let Some(SpanTokens { input, output }) = tokens {
        (object["input_tokens"], object["output_tokens"]) = (json!(input), json!(output));
    }
    if let Some(cost) = cost {
        object["cost_usd"] = json!(cost);
    }
}
