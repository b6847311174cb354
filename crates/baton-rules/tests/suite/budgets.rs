//! Budgets: the first one that the next call would exceed.

use baton_rules::{BudgetTotals, calendar_month, may_call_model, may_call_tools};
use baton_types::{Budget, BudgetUsage, Budgets, FailureReason, Timestamp};

fn spent(tokens: u64, micro_dollars: u64, tool_calls: u64) -> BudgetUsage {
    BudgetUsage { tokens, micro_dollars, tool_calls }
}

fn exceeded_budget(checked: Result<(), FailureReason>) -> Option<String> {
    let reason = checked.err()?;
    assert_eq!(reason.code, "BTN-3017");
    let name = reason.detail.strip_prefix("the budget of the ").unwrap().split(' ').next().unwrap().to_owned();
    assert!(reason.detail.contains(&format!("settings.budgets.{name}")), "{}", reason.detail);
    Some(name)
}

#[test]
fn the_first_budget_that_would_be_exceeded_is_named() {
    let all = Budget { tokens: Some(100), micro_dollars: Some(1000), tool_calls: Some(3) };
    let money = Budget { micro_dollars: Some(1000), ..Budget::default() };
    let budgets = Budgets { run: all, session: all, month: money };
    let nothing = BudgetTotals::default();
    // Usage, next call, exceeded budget.
    let table = [
        (nothing, spent(100, 1000, 0), None),
        (nothing, spent(101, 0, 0), Some("run")),
        (BudgetTotals { run: spent(60, 0, 0), ..nothing }, spent(40, 0, 0), None),
        (BudgetTotals { run: spent(60, 0, 0), ..nothing }, spent(41, 0, 0), Some("run")),
        (BudgetTotals { run: spent(100, 0, 0), ..nothing }, spent(0, 0, 0), Some("run")),
        (BudgetTotals { session: spent(0, 999, 0), ..nothing }, spent(1, 2, 0), Some("session")),
        (BudgetTotals { month: spent(u64::MAX, 0, u64::MAX), ..nothing }, spent(1, 1, 0), None),
        (BudgetTotals { month: spent(0, u64::MAX, 0), ..nothing }, spent(1, 1, 0), Some("month")),
        (BudgetTotals { run: spent(0, 0, 9), ..nothing }, spent(1, 1, 0), None),
    ];
    for (used, next, expected) in table {
        assert_eq!(exceeded_budget(may_call_model(&budgets, &used, next)).as_deref(), expected, "{used:?} {next:?}");
        assert_eq!(may_call_model(&Budgets::default(), &used, next), Ok(()), "an unlimited budget is never used up");
    }
    for (run, session, expected) in [(3, 3, None), (4, 0, Some("run")), (1, 4, Some("session"))] {
        let used = BudgetTotals { run: spent(500, 0, run), session: spent(0, 0, session), month: spent(0, 0, 99) };
        assert_eq!(exceeded_budget(may_call_tools(&budgets, &used)).as_deref(), expected);
    }
}

#[test]
fn months_are_calendar_months() {
    assert_eq!(calendar_month(Timestamp::from_millis(0)), "1970-01");
    assert_eq!(calendar_month(Timestamp::from_millis(1_796_083_199_999)), "2026-11");
    assert_eq!(calendar_month(Timestamp::from_millis(1_796_083_200_000)), "2026-12");
}
