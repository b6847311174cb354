//! Budget checks before the next call.

use baton_types::{Budget, BudgetUsage, Budgets, ErrorCode, FailureReason, Timestamp};

/// Usage of each budget so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetTotals {
    /// Usage of the task.
    pub run: BudgetUsage,
    /// Usage of all tasks of the session.
    pub session: BudgetUsage,
    /// Usage of all sessions of the agent in this calendar month.
    pub month: BudgetUsage,
}

/// Calendar month (UTC) of a timestamp, as `2026-11`.
pub fn calendar_month(moment: Timestamp) -> String {
    moment.to_string().chars().take(7).collect()
}

/// Checks the budgets for the next model call, which uses at least `next`.
pub fn may_call_model(budgets: &Budgets, used: &BudgetTotals, next: BudgetUsage) -> Result<(), FailureReason> {
    for (name, budget, used) in budgets_with_usage(budgets, used) {
        if let Some(limit) = budget.tokens
            && exceeds(used.tokens, next.tokens, limit)
        {
            let more = format!("{} of {limit} tokens, and the next call needs about {} more", used.tokens, next.tokens);
            return Err(budget_exhausted(name, &more));
        }
        if let Some(limit) = budget.micro_dollars
            && exceeds(used.micro_dollars, next.micro_dollars, limit)
        {
            let (used, limit, next) =
                (format_dollars(used.micro_dollars), format_dollars(limit), format_dollars(next.micro_dollars));
            return Err(budget_exhausted(
                name,
                &format!("{used} of {limit}, and the next call costs about {next} or more"),
            ));
        }
    }
    Ok(())
}

/// Checks the budgets for requested tool calls, which are already included in `used`.
pub fn may_call_tools(budgets: &Budgets, used: &BudgetTotals) -> Result<(), FailureReason> {
    for (name, budget, used) in budgets_with_usage(budgets, used) {
        if let Some(limit) = budget.tool_calls.filter(|limit| used.tool_calls > *limit) {
            let more =
                format!("{limit} tool calls are allowed, and the last requested call is number {}", used.tool_calls);
            return Err(budget_exhausted(name, &more));
        }
    }
    Ok(())
}

fn budgets_with_usage(budgets: &Budgets, used: &BudgetTotals) -> [(&'static str, Budget, BudgetUsage); 3] {
    [("run", budgets.run, used.run), ("session", budgets.session, used.session), ("month", budgets.month, used.month)]
}

/// An exhausted budget stays exhausted, even if the next call is free.
fn exceeds(used: u64, next: u64, limit: u64) -> bool {
    used >= limit || used.saturating_add(next) > limit
}

fn budget_exhausted(name: &str, more: &str) -> FailureReason {
    let detail = format!("the budget of the {name} is used up: {more}; raise settings.budgets.{name} in agent.yaml");
    FailureReason::new(ErrorCode::BUDGET_USED_UP.code, detail)
}

fn format_dollars(micro: u64) -> String {
    format!("${}.{:06}", micro / 1_000_000, micro % 1_000_000)
}
