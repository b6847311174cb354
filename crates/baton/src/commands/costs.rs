//! `baton costs`: tokens and money by agent, model, project or day, and the usage of each budget.

mod budgets;
mod counted;
mod ledger;
mod object;
mod table;
mod time;

use self::{
    budgets::Used,
    counted::{Asker, By, Counted},
    ledger::{Ledger, Row},
    time::{Period, day_of, month_of, timestamp},
};
use crate::{
    commands::{
        place::Place,
        trace::when::{When, when},
    },
    config::{Budgets, Settings},
    failure::{Exit, Failure},
    screen::{Screen, harmless, one_line},
    wiring::now,
};
use baton_types::{ErrorCode, Timestamp};
use clap::Args;
use std::{collections::BTreeSet, time::Duration};

/// Default time range.
const USUAL: Duration = Duration::from_hours(7 * 24);
/// Maximum number of unpriced models that are listed, and characters of each name.
const MOST_NAMED: usize = 10;
const LONGEST: usize = 60;

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
pub(crate) struct Options {
    /// Group costs by this field
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = By::Model)]
    by: By,
    /// Start of the time range: 1d, 30d or a timestamp; rounded down to a day with --by day [default: 7d]
    #[arg(long, value_name = "TIME", value_parser = when)]
    since: Option<When>,
    /// End of the time range [default: now]
    #[arg(long, value_name = "TIME", value_parser = when)]
    until: Option<When>,
    #[command(flatten)]
    place: Place,
}

/// Result of the command.
struct Told {
    by: By,
    time: Period,
    rows: Vec<Row>,
    total: Row,
    budgets: Vec<Used>,
    /// Reasons why the sums may be too low.
    incomplete: Vec<String>,
}

/// Computes the costs and prints the tables.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let settings = options.place.settings()?;
    let time = options.time(now())?;
    let session = options.place.manage_with(&settings).await?;
    let asked = ask(&Asker::new(&session.client), options.by, time, &settings).await;
    session.close().await;
    let told = asked?;
    if screen.is_json() {
        screen.print(&object::told(&told).to_string());
        return Ok(Exit::Ok);
    }
    if told.rows.is_empty() {
        screen.say("no model calls in this time range; try an earlier --since");
    } else {
        table::costs(&told, screen.data_paint()).iter().for_each(|line| screen.print(line));
    }
    if !told.budgets.is_empty() {
        if !told.rows.is_empty() {
            screen.print("");
        }
        table::budgets(&told.budgets, screen.data_paint()).iter().for_each(|line| screen.print(line));
    }
    for reason in &told.incomplete {
        screen.say(&format!("{}: {}", screen.talk_paint().warn("incomplete"), harmless(reason)));
    }
    Ok(Exit::Ok)
}

impl Options {
    fn time(&self, now: Timestamp) -> Result<Period, Failure> {
        let end = self.until.unwrap_or(When::At(now)).nanos(now);
        let usual = u64::try_from(USUAL.as_nanos()).unwrap_or(u64::MAX);
        let start = self.since.map_or(end.saturating_sub(usual), |since| since.nanos(now));
        if start >= end {
            return Err(Failure::new(ErrorCode::USAGE, "--since must be before --until"));
        }
        let start = if self.by == By::Day { day_of(start) } else { start };
        Ok(Period { start, end })
    }
}

/// Queries and computes the whole report.
async fn ask(asker: &Asker<'_>, by: By, time: Period, settings: &Settings) -> Result<Told, Failure> {
    let ledger = Ledger { prices: &settings.prices, at: timestamp(time.end) };
    let counted = asker.ask(by, time).await?;
    let mut incomplete = BTreeSet::from_iter(counted.warnings);
    let (mut rows, total) = ledger.rows(&counted.cells);
    if by != By::Day {
        rows.sort_by(Row::by_weight);
    }
    let (budgets, warnings) = budgets(asker, &ledger, time.end, &settings.budgets).await?;
    incomplete.extend(warnings);
    incomplete.extend(unpriced(budgets.iter().map(|used| &used.row).chain([&total])));
    // An external Tempo may keep spans longer.
    if settings.telemetry.tempo.is_none() {
        let first = budgets.iter().map(|used| used.time.start).chain([time.start]).min().unwrap_or(time.start);
        incomplete.extend(asker.forgotten(first, now()).await?);
    }
    Ok(Told { by, time, rows, total, budgets, incomplete: incomplete.into_iter().collect() })
}

/// Message that lists the models without a price.
fn unpriced<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<String> {
    let models: BTreeSet<String> = rows.flat_map(|row| &row.unpriced).map(|model| one_line(model, LONGEST)).collect();
    let named: Vec<&str> = models.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = match models.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| format!("no price in baton.yaml for {}{more}", named.join(", ")))
}

/// Usage of each budget, and the warnings of the queries.
async fn budgets(
    asker: &Asker<'_>,
    ledger: &Ledger<'_>,
    end: u64,
    budgets: &Budgets,
) -> Result<(Vec<Used>, Vec<String>), Failure> {
    let (mut all, mut warnings) = (Vec::new(), Vec::new());
    // The end of a period is exclusive, so midnight belongs to the day or month before it.
    let day = Period { start: day_of(end - 1), end };
    let month = Period { start: month_of(end - 1), end };
    if let Some(budget) = budgets.day {
        let Counted { cells, warnings: said } = asker.ask(By::Model, day).await?;
        all.push(Used::of_all("day", day, ledger.rows(&cells).1, budget));
        warnings.extend(said);
    }
    if let Some(budget) = budgets.month {
        let Counted { cells, warnings: said } = asker.ask(By::Model, month).await?;
        all.push(Used::of_all("month", month, ledger.rows(&cells).1, budget));
        warnings.extend(said);
    }
    for (by, named) in [(By::Agent, &budgets.agents), (By::Project, &budgets.projects)] {
        if named.is_empty() {
            continue;
        }
        let Counted { cells, warnings: said } = asker.ask(by, month).await?;
        all.extend(Used::of_named(by, month, &ledger.rows(&cells).0, named));
        warnings.extend(said);
    }
    Ok((all, warnings))
}
