//! Costs and budgets as tables.

use super::{CostReport, budgets::CostBudgetUsage, ledger::CostRow};
use crate::{
    commands::trace::formatting::{columns, count, padded, right_aligned},
    money::Money,
    screen::{Paint, one_line},
};

const MAX_NAME_CHARS: usize = 60;
/// Label of a group without a value.
const NONE: &str = "(none)";

/// One line per group, and the total.
pub(super) fn costs(report: &CostReport, paint: Paint) -> Vec<String> {
    let CostReport { by, rows, total, .. } = report;
    let figures = |row: &CostRow, name: &str| {
        let cell = &row.cell;
        let mut figures = vec![one_line(name, MAX_NAME_CHARS), count(cell.calls), count(cell.input)];
        figures.extend((total.cell.cached > 0).then(|| count(cell.cached)));
        figures.extend((total.cell.cache_written > 0).then(|| count(cell.cache_written)));
        figures.push(count(cell.output));
        figures.extend((total.cell.reasoning > 0).then(|| count(cell.reasoning)));
        figures.push(format_costs(row));
        figures
    };
    let mut heads = vec![by.name(), "calls", "tokens in"];
    heads.extend((total.cell.cached > 0).then_some("cached"));
    heads.extend((total.cell.cache_written > 0).then_some("cache writes"));
    heads.push("tokens out");
    heads.extend((total.cell.reasoning > 0).then_some("thinking"));
    heads.push("money");
    let mut table = vec![heads.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    table.extend(rows.iter().map(|row| figures(row, row.group.as_deref().unwrap_or(NONE))));
    // The reasons are printed below the table.
    table.push(figures(total, if report.incomplete.is_empty() { "total" } else { "total, incomplete" }));
    let last = table.len() - 1;
    let painted = |(index, line): (usize, String)| match index {
        0 => paint.faint(&line),
        index if index == last => paint.strong(&line),
        _ => line,
    };
    aligned(&table).into_iter().enumerate().map(painted).collect()
}

/// One line per budget.
pub(super) fn budgets(budgets: &[CostBudgetUsage], paint: Paint) -> Vec<String> {
    let figures = |used: &CostBudgetUsage| {
        let name = used.name.as_deref().map(|name| format!("{} {}", used.scope, one_line(name, MAX_NAME_CHARS)));
        let name = name.unwrap_or_else(|| used.scope.to_owned());
        vec![name, format_costs(&used.row), format!("${}", used.budget.exact()), share(used)]
    };
    let heads = ["budget", "used", "of", "share"].map(str::to_owned).to_vec();
    let table: Vec<Vec<String>> = std::iter::once(heads).chain(budgets.iter().map(figures)).collect();
    let mut lines = aligned(&table).into_iter();
    let head = lines.next().map(|line| paint.faint(&line));
    let marked = |(line, used): (String, &CostBudgetUsage)| match used.is_over() {
        true => paint.bad(&format!("{line}  over")),
        false => line,
    };
    head.into_iter().chain(lines.zip(budgets).map(marked)).collect()
}

/// Dollars. Unknown costs are marked and never counted as zero.
fn format_costs(row: &CostRow) -> String {
    match row.money() {
        Some(money) => money.to_string(),
        None if row.known > Money::default() => format!("{} + unknown", row.known),
        None => "unknown".to_owned(),
    }
}

/// Used percentage of a budget.
fn share(used: &CostBudgetUsage) -> String {
    let qualifier = if used.row.unpriced.is_empty() { "" } else { "at least " };
    match used.row.known.percent_of(used.budget) {
        Some(percent) => format!("{qualifier}{percent} %"),
        None => "-".to_owned(),
    }
}

/// Aligns the first column left and the others right.
fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let width = |at: usize| table.iter().map(|row| columns(&row[at])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 => padded(cell, *width),
            _ => right_aligned(cell, *width),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    table.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        commands::costs::{
            json_output,
            ledger::Ledger,
            time::{DAY, Period},
            usage::{CostGroup, ModelUsage, UsageByGroup},
        },
        config::Price,
    };
    use baton_types::Timestamp;
    use std::fmt::Write as _;

    fn dollars(dollars: f64) -> Money {
        Money::from_dollars(dollars, 1e9).unwrap()
    }

    fn cell(group: &str, model: &str, tokens: [u64; 5]) -> ((Option<String>, Option<String>), ModelUsage) {
        let [calls, input, cached, output, reasoning] = tokens;
        let cache_written = 0;
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ((some(group), some(model)), ModelUsage { calls, input, cached, cache_written, output, reasoning })
    }

    fn report(by: CostGroup, cells: &UsageByGroup, prices: &[Price], incomplete: &[&str]) -> CostReport {
        let ledger = Ledger { prices, at: Timestamp::from_millis(1_794_787_200_000) };
        let (mut rows, total) = ledger.rows(cells);
        rows.sort_by(CostRow::compare_costs);
        let time = Period { start: 1_794_787_200_000_000_000, end: 1_794_787_200_000_000_000 + DAY };
        let named = [("planner", 4.0), ("writer", 0.0), ("idle", 1.0), ("天気", 2.0)];
        let named: Vec<_> = named.into_iter().map(|(name, budget)| (name.to_owned(), dollars(budget))).collect();
        let mut budgets = vec![
            CostBudgetUsage::for_period("day", time, total.clone(), dollars(5.0)),
            CostBudgetUsage::for_period("month", time, total.clone(), dollars(0.125)),
        ];
        budgets.extend(CostBudgetUsage::for_names(by, time, &rows, &named));
        let incomplete = incomplete.iter().map(|reason| (*reason).to_owned()).collect();
        CostReport { by, time, rows, total, budgets, incomplete }
    }

    #[test]
    fn tables() {
        let price = |model: &str, input, output, cached: Option<f64>| Price {
            model: model.to_owned(),
            input: dollars(input),
            output: dollars(output),
            cached: cached.map(dollars),
            cache_write: None,
        };
        let prices =
            [price("sonnet", 3.0, 15.0, Some(0.3)), price("gift", 0.0, 0.0, None), price("mini", 0.1, 0.2, None)];
        let cells = UsageByGroup::from([
            cell("planner", "sonnet", [12, 1_200_000, 200_000, 34_000, 1_000]),
            cell("planner", "mystery", [1, 1_000, 0, 10, 0]),
            cell("weather", "playbook", [4, 426, 0, 88, 0]),
            cell("天気", "mystery", [2, 900, 0, 10, 0]),
            cell("writer", "mini", [1, 20, 0, 1, 0]),
            cell("gifted", "gift", [3, 1_000_000, 0, 1_000_000, 0]),
            cell("", "mini", [1, 1_000_000, 1_000_000, 1_000_000, 0]),
        ]);
        let plain = UsageByGroup::from([
            cell("weather", "playbook", [4, 426, 0, 88, 0]),
            cell("planner", "mini", [1, 3, 0, 9, 0]),
        ]);
        let unnamed = UsageByGroup::from([cell("planner", "", [1, 10, 0, 10, 0])]);
        let mut text = String::new();
        for (cells, prices, incomplete) in [
            (&cells, &prices[..], &["no price in baton.yaml for mystery"][..]),
            (&cells, &[], &["no prices"]),
            (&plain, &prices, &[]),
            (&unnamed, &prices, &["a reason"]),
        ] {
            let told = report(CostGroup::Agent, cells, prices, incomplete);
            let (costs, budgets) = (costs(&told, Paint::PLAIN), self::budgets(&told.budgets, Paint::PLAIN));
            writeln!(text, "{}\n\n{}\n\n{:#}\n", costs.join("\n"), budgets.join("\n"), json_output::report_json(&told))
                .unwrap();
            let coloured =
                [self::costs(&told, Paint::ALWAYS_COLOURED), self::budgets(&told.budgets, Paint::ALWAYS_COLOURED)]
                    .concat();
            assert!(coloured.iter().zip([costs, budgets].concat()).all(|(colour, plain)| colour.contains(&plain)));
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("costs", text);
        });
    }
}
