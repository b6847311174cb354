//! Whether what may be used up allows the next call.

use baton_types::{Budget, Budgets, ErrorCode, Reason, Spent, Timestamp};

/// What was used so far of each budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// By the task.
    pub run: Spent,
    /// By all tasks of the session.
    pub session: Spent,
    /// By all sessions of the agent in this calendar month.
    pub month: Spent,
}

/// The calendar month (UTC) of a moment, as `2026-11`.
pub fn month_of(moment: Timestamp) -> String {
    moment.to_string().chars().take(7).collect()
}

/// Whether the next model call may be made, which uses at least this much; else which budget does not allow it.
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

/// Whether the tools that the model asked for may run; they are among what was used.
pub fn may_call_tools(budgets: &Budgets, used: &Used) -> Result<(), Reason> {
    for (name, budget, used) in each(budgets, used) {
        if let Some(limit) = budget.tool_calls.filter(|limit| used.tool_calls > *limit) {
            let more =
                format!("{limit} tool calls are allowed, and the last one asked for is number {}", used.tool_calls);
            return Err(used_up(name, &more));
        }
    }
    Ok(())
}

fn each(budgets: &Budgets, used: &Used) -> [(&'static str, Budget, Spent); 3] {
    [("run", budgets.run, used.run), ("session", budgets.session, used.session), ("month", budgets.month, used.month)]
}

/// What is used up stays so, even when the next call were free.
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
