//! `baton trace`: searches, shows, compares, follows and exports traces.

mod caret;
mod details;
mod diff;
mod export;
pub(crate) mod formatting;
#[cfg(test)]
mod layout_tests;
mod matched_tree;
mod merge;
mod messages;
mod metrics;
mod queries;
mod query;
mod rows;
mod saved_queries;
mod search_results;
mod series;
mod show;
mod side_by_side;
mod span_attributes;
mod spark;
mod tail;
mod terminal_style;
mod text_output;
pub(crate) mod time_argument;
mod totals;
mod transcript;
mod transcript_builder;
mod tree;
mod waterfall;

use crate::{
    failure::{CliError, Exit},
    screen::Screen,
    signals::StopRequests,
};
use clap::{Args, Subcommand};

/// Options of `baton trace`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton trace query '{ status = error }' --since 1h      find errors of the last hour
  baton trace query '{ insight.type = \"decision\" }'      find decisions of agents
  baton trace show 4bf92f3577b34da6a3ce929d0e0e4736      show a trace as waterfall and transcript
  baton trace show 0199a3c1-7f11-7c3e-9a51-0242ac120002  show the trace of a task
  baton trace query '{ } | rate() by (resource.service.name)' --since 6h
  baton trace query @tools                               run a saved query, see `trace queries`
  baton trace diff 4bf92f3577b34da6a3ce929d0e0e4736 0af7651916cd43dd8448eb211c80319c
  baton trace tail '{ span.gen_ai.agent.name = \"weather\" }'
  baton trace export --parquet spans.parquet --since 7d  export to DuckDB, pandas and others

For the query language, see docs/traceql.md. If a server runs for the data directory, the command
uses it. Otherwise it opens the data directory."
)]
pub(crate) struct TraceOptions {
    #[command(subcommand)]
    command: TraceCommand,
}

/// Subcommands of `baton trace`.
#[derive(Debug, Subcommand)]
enum TraceCommand {
    /// Search traces or compute metrics with TraceQL
    Query(query::TraceQueryOptions),
    /// List saved queries
    Queries(queries::TraceQueriesOptions),
    /// Show one trace: a waterfall and a transcript
    Show(show::TraceShowOptions),
    /// Compare two traces span by span
    Diff(diff::TraceDiffOptions),
    /// Follow spans as they arrive
    Tail(tail::TraceTailOptions),
    /// Export spans to a Parquet file, for DuckDB, pandas and others
    Export(export::TraceExportOptions),
}

/// Runs the subcommand.
pub(crate) async fn run(options: TraceOptions, screen: Screen, stop: StopRequests) -> Result<Exit, CliError> {
    match options.command {
        TraceCommand::Query(options) => query::run(options, screen).await,
        TraceCommand::Queries(options) => queries::run(&options, screen),
        TraceCommand::Diff(options) => diff::run(options, screen).await,
        TraceCommand::Show(options) => show::run(options, screen).await,
        TraceCommand::Tail(options) => tail::run(options, screen, stop).await,
        TraceCommand::Export(options) => export::run(options, screen, stop).await,
    }
}
