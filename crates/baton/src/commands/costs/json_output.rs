//! JSON output of `baton costs`.

use super::{CostReport, budgets::CostBudgetUsage, ledger::CostRow, time::timestamp};
use crate::money::Money;
use serde_json::{Value, json};

/// The report as one object.
pub(super) fn report_json(report: &CostReport) -> Value {
    let row = |row: &CostRow| {
        let mut object = sums(row);
        object["group"] = json!(row.group);
        object
    };
    json!({
        "by": report.by.name(),
        "since": timestamp(report.time.start).to_string(),
        "until": timestamp(report.time.end).to_string(),
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
        "total": sums(&report.total),
        "budgets": report.budgets.iter().map(budget_json).collect::<Vec<_>>(),
        "incomplete": report.incomplete,
    })
}

fn sums(row: &CostRow) -> Value {
    json!({
        "calls": row.cell.calls,
        "input_tokens": row.cell.input, "cached_tokens": row.cell.cached,
        "cache_write_tokens": row.cell.cache_written,
        "output_tokens": row.cell.output, "reasoning_tokens": row.cell.reasoning,
        "dollars": row.money().map(Money::dollars), "known_dollars": row.known.dollars(), "unpriced": row.unpriced,
    })
}

fn budget_json(used: &CostBudgetUsage) -> Value {
    json!({
        "of": used.scope, "name": used.name,
        "since": timestamp(used.time.start).to_string(), "until": timestamp(used.time.end).to_string(),
        "budget": used.budget.dollars(),
        "dollars": used.row.money().map(Money::dollars), "known_dollars": used.row.known.dollars(),
        "share": used.row.known.share_of(used.budget), "over": used.is_over(),
    })
}
