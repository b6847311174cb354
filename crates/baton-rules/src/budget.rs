//! Budget checks before the next call.

use baton_types::{Budget, Budgets, ErrorCode, Reason, Spent, Timestamp};

/// Usage of each budget so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Usage of the task.
    pub run: Spent,
    /// Usage of all tasks of the session.
    pub session: Spent,
    /// Usage of all sessions of the agent in this calendar month.
    pub month: Spent,
}

/// Calendar month (UTC) of a timestamp, as `2026-11`.
pub fn month_of(moment: Timestamp) -> String {
    moment.to_string().chars().take(7).collect()
}

/// Checks the budgets for the next model call, which uses at least `next`.
pub fn may_call_model(budgets: &Budgets, used: &Used, next: Spent) -> Result<(), Reason> {
    for (name, budget, used) in each(budgets, used) {
        if let Some(limit) = budget.tokens
            && exceeds(used.tokens, next.tokens, limit)
        {
            let more = format!("{} of {limit} tokens, and the next call needs about {} more", used.tokens, next.tokens);
            return Err(used_up(name, &more));
        }
        if let Some(limit) = budget.micro_dollars
            && exceeds(used.micro_dollars, next.micro_dollars, limit)
        {
            let (used, limit, next) = (dollars(used.micro_dollars), dollars(limit), dollars(next.micro_dollars));
            return Err(used_up(name, &format!("{used} of {limit}, and the next call costs about {next} or more")));
        }
    }
    Ok(())
}

/// Checks the budgets for requested tool calls, which are already included in `used`.
pub fn may_call_tools(budgets: &Budgets, used: &Used) -> Result<(), Reason> {
    for (name, budget, used) in each(budgets, used) {
        if let Some(limit) = budget.tool_calls.filter(|limit| used.tool_calls > *limit) {
            let more =
                format!("{limit} tool calls are allowed, and the last requested call is number {}", used.tool_calls);
            return Err(used_up(name, &more));
        }
    }
    Ok(())
}

fn each(budgets: &Budgets, used: &Used) -> [(&'static str, Budget, Spent); 3] {
    [("run", budgets.run, used.run), ("session", budgets.session, used.session), ("month", budgets.month, used.month)]
}

/// An exhausted budget stays exhausted, even if the next call is free.
fn exceeds(used: u64, next: u64, limit: u64) -> bool {
    used >= limit || used.saturating_add(next) > limit
}

fn used_up(name: &str, more: &str) -> Reason {
    let detail = format!("the budget of the {name} is used up: {more}; raise settings.budgets.{name} in agent.yaml");
    Reason::new(ErrorCode::BUDGET_USED_UP.code, detail)
}

fn dollars(micro: u64) -> String {
    format!("${}.{:06}", micro / 1_000_000, micro % 1_000_000)
}
