//! What may be used up.

use crate::Usage;
use serde::{Deserialize, Serialize};

/// Bounds of one kind of thing that costs; none is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens, read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_dollars: Option<u64>,
    /// Calls of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
}

impl Budget {
    /// Whether nothing is bounded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Budgets of an agent, each checked before the next call that would use it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// Of one run.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub run: Budget,
    /// Of one session, all its runs together.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub session: Budget,
    /// Of the agent, all its sessions in a calendar month (UTC) together.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub month: Budget,
}

impl Budgets {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens, read and written.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub micro_dollars: u64,
    /// Calls of tools.
    pub tool_calls: u64,
}

impl Spent {
    /// What a model call used, and the calls of tools that it asked for.
    pub fn of(usage: Usage, tool_calls: u64) -> Self {
        Self { tokens: usage.total(), micro_dollars: usage.micro_dollars, tool_calls }
    }

    /// Both together; counts stay at their highest rather than begin anew.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_dollars: self.micro_dollars.saturating_add(other.micro_dollars),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
        }
    }
}
