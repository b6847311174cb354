//! `baton costs`: tokens and money by agent, model, project or day, and the usage of each budget.

mod budgets;
mod json_output;
mod ledger;
mod table;
mod time;
mod usage;

use self::{
    budgets::CostBudgetUsage,
    ledger::{CostRow, Ledger},
    time::{Period, day_start, month_start, timestamp},
    usage::{CostGroup, UsageQuery, UsageReport},
};
use crate::{
    commands::{
        connection_options::ConnectionOptions,
        trace::time_argument::{TimeArgument, parse_time},
    },
    config::{BatonSettings, Budgets},
    error_codes,
    failure::{CliError, Exit},
    screen::{Screen, escape_for_terminal, one_line},
};
use baton_server::now;
use baton_types::Timestamp;
use clap::Args;
use std::{collections::BTreeSet, time::Duration};

/// Default time range.
const DEFAULT_PERIOD: Duration = Duration::from_hours(7 * 24);
/// Maximum number of unpriced models that are listed, and characters of each name.
const MAX_LISTED_MODELS: usize = 10;
const MAX_MODEL_NAME_CHARS: usize = 60;

/// Options of `baton costs`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton costs                                      by model, in the last seven days
  baton costs --by agent --since 1d
  baton costs --by day --since 30d
  baton costs --by project --since 2026-10-01 --until 2026-11-01 --json

Token counts come from the spans of model calls. Costs use the prices in baton.yaml, in dollars per
million tokens, or the built-in prices. The costs of a model without a price are shown as unknown;
the built-in playbook is free. Budgets apply to the day and the month in which the time range ends,
in UTC. An exceeded budget is marked, but does not change the exit code:

  prices:
    claude-sonnet-4-5: { input: 3.0, output: 15.0, cached: 0.3, cache_write: 3.75 }
  budgets: { day: 5.0, month: 100.0, agents: { planner: 20.0 }, projects: { checkout: 50.0 } }")]
pub(crate) struct CostsOptions {
    /// Group costs by this field
    #[arg(long, value_name = "FIELD", value_enum, default_value_t = CostGroup::Model)]
    by: CostGroup,
    /// Start of the time range: 1d, 30d or a timestamp; rounded down to a day with --by day [default: 7d]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<TimeArgument>,
    /// End of the time range [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<TimeArgument>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Result of the command.
struct CostReport {
    by: CostGroup,
    time: Period,
    rows: Vec<CostRow>,
    total: CostRow,
    budgets: Vec<CostBudgetUsage>,
    /// Reasons why the sums may be too low.
    incomplete: Vec<String>,
}

/// Computes the costs and prints the tables.
pub(crate) async fn run(options: CostsOptions, screen: Screen) -> Result<Exit, CliError> {
    let settings = options.connection.settings()?;
    let time = options.period(now())?;
    let session = options.connection.management_session_with(&settings).await?;
    let report = build_report(&UsageQuery::new(&session.client), options.by, time, &settings).await;
    session.close().await;
    let report = report?;
    if screen.is_json() {
        screen.print(&json_output::report_json(&report).to_string());
        return Ok(Exit::Ok);
    }
    if report.rows.is_empty() {
        screen.print_stderr("no model calls in this time range; try an earlier --since");
    } else {
        table::costs(&report, screen.stdout_paint()).iter().for_each(|line| screen.print(line));
    }
    if !report.budgets.is_empty() {
        if !report.rows.is_empty() {
            screen.print("");
        }
        table::budgets(&report.budgets, screen.stdout_paint()).iter().for_each(|line| screen.print(line));
    }
    for reason in &report.incomplete {
        screen.print_stderr(&format!("{}: {}", screen.stderr_paint().warn("incomplete"), escape_for_terminal(reason)));
    }
    Ok(Exit::Ok)
}

impl CostsOptions {
    fn period(&self, now: Timestamp) -> Result<Period, CliError> {
        let end = self.until.unwrap_or(TimeArgument::At(now)).nanos(now);
        let usual = u64::try_from(DEFAULT_PERIOD.as_nanos()).unwrap_or(u64::MAX);
        let start = self.since.map_or(end.saturating_sub(usual), |since| since.nanos(now));
        if start >= end {
            return Err(CliError::new(error_codes::USAGE, "--since must be before --until"));
        }
        let start = if self.by == CostGroup::Day { day_start(start) } else { start };
        Ok(Period { start, end })
    }
}

/// Queries and computes the whole report.
async fn build_report(
    asker: &UsageQuery<'_>,
    by: CostGroup,
    time: Period,
    settings: &BatonSettings,
) -> Result<CostReport, CliError> {
    let ledger = Ledger { prices: &settings.prices, at: timestamp(time.end) };
    let counted = asker.usage(by, time).await?;
    let mut incomplete = BTreeSet::from_iter(counted.warnings);
    let (mut rows, total) = ledger.rows(&counted.cells);
    if by != CostGroup::Day {
        rows.sort_by(CostRow::compare_costs);
    }
    let (budgets, warnings) = budget_usage(asker, &ledger, time.end, &settings.budgets).await?;
    incomplete.extend(warnings);
    incomplete.extend(unpriced_warning(budgets.iter().map(|used| &used.row).chain([&total])));
    // An external Tempo may keep spans longer.
    if settings.telemetry.tempo.is_none() {
        let first = budgets.iter().map(|used| used.time.start).chain([time.start]).min().unwrap_or(time.start);
        incomplete.extend(asker.retention_warning(first, now()).await?);
    }
    Ok(CostReport { by, time, rows, total, budgets, incomplete: incomplete.into_iter().collect() })
}

/// Message that lists the models without a price.
fn unpriced_warning<'a>(rows: impl Iterator<Item = &'a CostRow>) -> Option<String> {
    let models: BTreeSet<String> =
        rows.flat_map(|row| &row.unpriced).map(|model| one_line(model, MAX_MODEL_NAME_CHARS)).collect();
    let named: Vec<&str> = models.iter().take(MAX_LISTED_MODELS).map(String::as_str).collect();
    let more = match models.len().saturating_sub(MAX_LISTED_MODELS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| format!("no price in baton.yaml for {}{more}", named.join(", ")))
}

/// Usage of each budget, and the warnings of the queries.
async fn budget_usage(
    asker: &UsageQuery<'_>,
    ledger: &Ledger<'_>,
    end: u64,
    budgets: &Budgets,
) -> Result<(Vec<CostBudgetUsage>, Vec<String>), CliError> {
    let (mut all, mut warnings) = (Vec::new(), Vec::new());
    // The end of a period is exclusive, so midnight belongs to the day or month before it.
    let day = Period { start: day_start(end - 1), end };
    let month = Period { start: month_start(end - 1), end };
    if let Some(budget) = budgets.day {
        let UsageReport { cells, warnings: query_warnings } = asker.usage(CostGroup::Model, day).await?;
        all.push(CostBudgetUsage::for_period("day", day, ledger.rows(&cells).1, budget));
        warnings.extend(query_warnings);
    }
    if let Some(budget) = budgets.month {
        let UsageReport { cells, warnings: query_warnings } = asker.usage(CostGroup::Model, month).await?;
        all.push(CostBudgetUsage::for_period("month", month, ledger.rows(&cells).1, budget));
        warnings.extend(query_warnings);
    }
    for (by, named) in [(CostGroup::Agent, &budgets.agents), (CostGroup::Project, &budgets.projects)] {
        if named.is_empty() {
            continue;
        }
        let UsageReport { cells, warnings: query_warnings } = asker.usage(by, month).await?;
        all.extend(CostBudgetUsage::for_names(by, month, &ledger.rows(&cells).0, named));
        warnings.extend(query_warnings);
    }
    Ok((all, warnings))
}
