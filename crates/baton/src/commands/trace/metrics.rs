//! Runs a metrics query and prints its series as a table.

use super::{
    caret,
    formatting::count,
    query::{TraceQueryRequest, print_interpretation},
    series::{self, SeriesKind},
    terminal_style::{TerminalStyle, untruncated_width},
    time_argument::TimeArgument,
};
use crate::{
    commands::connection_options::ConnectionOptions,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_client::MetricsRequest;
use baton_server::now;
use baton_traceql::{MetricsExpr, Mode, Root, Steps, parse, search_pipeline};
use std::time::Duration;

/// Default time range of series.
const DEFAULT_PERIOD: Duration = Duration::from_hours(1);

/// The metrics expression of a query; `None` for searches and for invalid queries, which the server reports in more
/// detail.
pub(super) fn metrics_expression(query: &str, step: Option<Duration>) -> Option<MetricsExpr> {
    let query = parse(query, Mode::Lenient).ok()?.query;
    // Agents use `.. | rate() > 0` to search for recent spans; with a step it is a metrics query.
    if step.is_none() && search_pipeline(&query).is_ok() {
        return None;
    }
    match query.root {
        Root::Metrics(metrics) => Some(metrics),
        Root::Search(_) => None,
    }
}

/// Runs the metrics query and prints the series.
pub(super) async fn run(
    options: &TraceQueryRequest,
    metrics: &MetricsExpr,
    connection: &ConnectionOptions,
    screen: Screen,
) -> Result<Exit, CliError> {
    let now = now();
    let end = options.until.unwrap_or(TimeArgument::At(now)).nanos(now);
    let start = options.since.unwrap_or(TimeArgument::Ago(DEFAULT_PERIOD)).nanos(now);
    if start >= end {
        return Err(CliError::new(error_codes::USAGE, "--since must be before --until"));
    }
    let step = options.step.map(|step| u64::try_from(step.as_nanos()).unwrap_or(u64::MAX));
    let step = step.unwrap_or_else(|| Steps::default_step(end - start));
    let steps = Steps::cover(start, end, step).ok_or_else(|| {
        let message = format!("--step splits the time range into more than {} intervals", Steps::MAX_INTERVALS);
        CliError::new(error_codes::USAGE, message).hint("Use a longer --step or a shorter time range.")
    })?;
    let request = MetricsRequest { query: options.query.clone(), start, end, step: Some(step), strict: options.strict };
    let session = connection.management_session().await?;
    let measured = session.client.query_metrics(&request).await;
    session.close().await;
    let reply = measured.map_err(|error| caret::failure(error, &options.query, screen))?;
    print_interpretation(reply.canonical.as_deref(), reply.warnings.as_deref(), &options.query, screen);
    if screen.is_json() {
        screen.print(reply.body.trim_end());
        return Ok(Exit::Ok);
    }
    if reply.series.is_empty() {
        screen.print_stderr("no data in this time range; try an earlier --since");
        return Ok(Exit::Ok);
    }
    let look = TerminalStyle::for_stdout(series_width(options.width), screen.stdout_paint());
    let (lines, left) =
        series::lines(&reply.series, &steps, SeriesKind::from_metrics(metrics), options.limit.max(1), &look);
    lines.iter().for_each(|line| screen.print(line));
    if left > 0 {
        screen.print_stderr(&format!("{} more series with lower peaks; use --limit to show them", count(left)));
    }
    Ok(Exit::Ok)
}

/// Sparklines fill the available width, so a pipe gets a fixed width.
fn series_width(width: Option<usize>) -> Option<usize> {
    width.or_else(|| untruncated_width(None).map(|_| 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_queries_are_recognized() {
        let minute = Some(Duration::from_mins(1));
        for (query, step, expect) in [
            ("{ } | rate()", None, true),
            ("{ a = 1 } | rate() by (resource.service.name)", None, true),
            ("({ } | rate()) * 100", None, true),
            ("{ } | select(.a) | rate() > 0", None, false),
            ("{ } | select(.a) | rate() > 0", minute, true),
            ("{ status = error }", None, false),
            ("{ status = error }", minute, false),
            ("{ status = ", None, false),
        ] {
            assert_eq!(metrics_expression(query, step).is_some(), expect, "{query} {step:?}");
        }
    }
}
