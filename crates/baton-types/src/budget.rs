//! Token, cost and tool call budgets.

use crate::Usage;
use serde::{Deserialize, Serialize};

/// Limits of one scope; an unset field is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Input and output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_dollars: Option<u64>,
    /// Tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
}

impl Budget {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Budgets of an agent, each checked before the next call that would exceed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// Per run.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub run: Budget,
    /// Per session, over all its runs.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub session: Budget,
    /// Per agent and calendar month (UTC), over all its sessions.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub month: Budget,
}

impl Budgets {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Consumption that counts against a [`Budget`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetUsage {
    /// Input and output tokens.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub micro_dollars: u64,
    /// Tool calls.
    pub tool_calls: u64,
}

impl BudgetUsage {
    /// Consumption of one model call and the tool calls that it requested.
    pub fn from_model_call(usage: Usage, tool_calls: u64) -> Self {
        Self { tokens: usage.total(), micro_dollars: usage.micro_dollars, tool_calls }
    }

    /// Saturating sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_dollars: self.micro_dollars.saturating_add(other.micro_dollars),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
        }
    }
}
