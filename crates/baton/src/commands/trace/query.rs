//! `baton trace query`: searches traces or computes series with TraceQL.

use super::{
    caret, metrics, saved_queries, search_results,
    terminal_style::{TerminalStyle, untruncated_width},
    time_argument::{TimeArgument, parse_time},
};
use crate::{
    commands::connection_options::ConnectionOptions,
    error_codes,
    failure::{CliError, Exit},
    screen::{Screen, escape_for_terminal},
};
use baton_client::SearchRequest;
use baton_document::duration;
use baton_server::now;
use baton_traceql::{Mode, parse};
use baton_types::ErrorCode;
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// Options of `baton trace query`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace query '{ status = error }' --since 1h
  baton trace query '{ name = \"execute_tool get_weather\" && duration > 1s }'
  baton trace query '{ span.gen_ai.agent.name = \"planner\" } >> { status = error }'
  baton trace query '{ insight.type = \"decision\" } | select(insight.summary)' --json
  baton trace query '{ agent.id = \"planner\" }' --canonical      print it in Tempo's syntax
  baton trace query '{ status = error } | rate() by (resource.service.name)' --since 6h --step 5m
  baton trace query '{ } | quantile_over_time(duration, 0.5, 0.99)'
  baton trace query @tools --since 1d                           run a saved query

Prints traces, newest first, each with its matching spans and the attributes that the query names. A
query that ends in a metrics function prints series: their summary values and a sparkline.
Attributes may be written without a scope; the interpreted query is printed to stderr. --strict
accepts only TraceQL that Tempo accepts. --json prints the response in Tempo's format.")]
pub(super) struct TraceQueryOptions {
    /// TraceQL query, or @NAME for a saved query
    query: String,
    /// Start of the time range: 15m, 1h, 2d or a timestamp [default: all stored spans; 1h for series]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<TimeArgument>,
    /// End of the time range [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<TimeArgument>,
    /// Interval of a series: 15s, 5m, 1h [default: depends on the time range]
    #[arg(long, value_name = "TIME", value_parser = parse_step)]
    step: Option<Duration>,
    /// Maximum number of traces or series
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Maximum number of spans shown per trace
    #[arg(long, value_name = "N", default_value_t = 3)]
    spans: usize,
    /// Accept only TraceQL that Tempo accepts
    #[arg(long)]
    strict: bool,
    /// Print the query in Tempo's syntax without running it
    #[arg(long)]
    canonical: bool,
    /// Width of the table in columns [default: the terminal width]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Read saved queries from this file instead of the default files
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Resolved query, from the command line or a saved query.
#[derive(Debug)]
pub(super) struct TraceQueryRequest {
    pub(super) query: String,
    pub(super) since: Option<TimeArgument>,
    pub(super) until: Option<TimeArgument>,
    pub(super) step: Option<Duration>,
    pub(super) limit: usize,
    pub(super) strict: bool,
    pub(super) width: Option<usize>,
    spans: usize,
}

fn parse_step(text: &str) -> Result<Duration, String> {
    let step = duration(text.trim()).filter(|step| !step.is_zero());
    step.ok_or_else(|| "expected a duration, such as 15s, 5m or 1h".to_owned())
}

impl TraceQueryOptions {
    fn resolve(&self) -> Result<TraceQueryRequest, CliError> {
        let saved = self
            .query
            .strip_prefix('@')
            .map(|name| saved_queries::find(name, self.queries.as_deref(), &self.connection));
        let (query, since) = match saved.transpose()? {
            Some(saved) => (saved.query, saved.since),
            None => (self.query.clone(), None),
        };
        Ok(TraceQueryRequest {
            query,
            since: self.since.or(since),
            until: self.until,
            step: self.step,
            limit: self.limit,
            strict: self.strict,
            width: self.width,
            spans: self.spans,
        })
    }
}

/// Runs the query and prints the traces or series.
pub(super) async fn run(options: TraceQueryOptions, screen: Screen) -> Result<Exit, CliError> {
    let request = options.resolve()?;
    if options.canonical {
        return print_canonical(&request, screen);
    }
    match metrics::metrics_expression(&request.query, request.step) {
        Some(metrics) => metrics::run(&request, &metrics, &options.connection, screen).await,
        None => search(request, &options.connection, screen).await,
    }
}

async fn search(options: TraceQueryRequest, connection: &ConnectionOptions, screen: Screen) -> Result<Exit, CliError> {
    if options.step.is_some() {
        let message = "--step requires a metrics query: end the query in a metrics function such as `| rate()`";
        return Err(CliError::new(error_codes::USAGE, message));
    }
    let now = now();
    let request = SearchRequest {
        query: options.query.clone(),
        start: options.since.map(|since| since.second_before(now)),
        end: options.until.map(|until| until.second_after(now)).or(options.since.map(|_| {
            // A start without an end means until now, with a margin for spans that are being written.
            TimeArgument::At(now).second_after(now) + 60
        })),
        limit: options.limit.max(1),
        spans_per_spanset: options.spans.max(1),
        strict: options.strict,
    };
    let session = connection.management_session().await?;
    let found = session.client.search_traces(&request).await;
    session.close().await;
    let reply = found.map_err(|error| caret::failure(error, &options.query, screen))?;
    print_interpretation(reply.canonical.as_deref(), reply.warnings.as_deref(), &options.query, screen);
    if screen.is_json() {
        screen.print(reply.body.trim_end());
        return Ok(Exit::Ok);
    }
    let look = TerminalStyle::for_stdout(untruncated_width(options.width), screen.stdout_paint());
    for line in search_results::lines(&reply.traces, &look) {
        screen.print(&line);
    }
    if reply.traces.is_empty() {
        let further = if options.since.is_some() { "; try an earlier --since" } else { "" };
        screen.print_stderr(&format!("no matches{further}"));
    } else if reply.traces.len() >= options.limit {
        screen.print_stderr(&format!("showing the newest {}; use --limit to show more", options.limit));
    }
    if let Some(first) = reply.traces.first() {
        screen.print_stderr(&format!("show one with: baton trace show {}", first.id));
    }
    Ok(Exit::Ok)
}

/// Prints warnings, and the interpreted query if it differs from the input.
pub(super) fn print_interpretation(canonical: Option<&str>, warnings: Option<&str>, query: &str, screen: Screen) {
    let paint = screen.stderr_paint();
    for warning in warnings.iter().flat_map(|warnings| split_warnings(warnings, query)) {
        screen.print_stderr(&format!("{}: {}", paint.warn("warning"), escape_for_terminal(&warning)));
    }
    let same = |text: &str| {
        text.split_whitespace().collect::<Vec<_>>().concat() == query.split_whitespace().collect::<Vec<_>>().concat()
    };
    if let Some(canonical) = canonical.filter(|canonical| !same(canonical)) {
        screen.print_stderr(&format!("interpreted as: {}", escape_for_terminal(canonical)));
    }
}

/// Splits the warnings of the server, which are joined in one line. Only warnings about the syntax of the query can be
/// separated.
fn split_warnings(warnings: &str, query: &str) -> Vec<String> {
    let parser_warnings = parse(query, Mode::Lenient).map(|parsed| parsed.warnings).unwrap_or_default();
    let (mut list, mut rest) = (Vec::new(), warnings);
    for warning in parser_warnings {
        let Some(after) = rest.strip_prefix(warning.as_str()) else { break };
        rest = after.strip_prefix("; ").unwrap_or(after);
        list.push(warning);
    }
    if !rest.is_empty() {
        list.push(rest.to_owned());
    }
    list
}

/// Prints the query in Tempo's syntax; needs no server.
fn print_canonical(options: &TraceQueryRequest, screen: Screen) -> Result<Exit, CliError> {
    let mode = if options.strict { Mode::Strict } else { Mode::Lenient };
    let parsed = parse(&options.query, mode).map_err(|error| {
        caret::show(&error.to_string(), &options.query, screen);
        CliError::new(ErrorCode::TRACEQL_INVALID, error.to_string()).exit(Exit::Usage)
    })?;
    for warning in &parsed.warnings {
        screen.print_stderr(&format!("{}: {warning}", screen.stderr_paint().warn("warning")));
    }
    match screen.is_json() {
        true => screen.print(&serde_json::json!({ "canonical": parsed.query.to_string() }).to_string()),
        false => screen.print(&parsed.query.to_string()),
    }
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_server_warnings_are_split() {
        let query = "{ insight.type == 1 }";
        let known = parse(query, Mode::Lenient).unwrap().warnings;
        assert_eq!(known.len(), 2);
        let all = [known.clone(), vec!["a search returns spans; set the time range".to_owned()]].concat();
        assert_eq!(split_warnings(&all.join("; "), query), all);
        assert_eq!(split_warnings(&known.join("; "), query), known);
        assert_eq!(split_warnings("another; server", query), ["another; server"]);
    }
}
