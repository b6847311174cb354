//! Budget usage.

use super::{ledger::CostRow, time::Period, usage::CostGroup};
use crate::money::Money;

/// A budget and the costs that count towards it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CostBudgetUsage {
    /// Scope of the budget: day, month, agent or project.
    pub(super) scope: &'static str,
    /// Name of the agent or project.
    pub(super) name: Option<String>,
    /// Starts at the beginning of the day or month.
    pub(super) time: Period,
    pub(super) row: CostRow,
    pub(super) budget: Money,
}

impl CostBudgetUsage {
    /// Usage of a budget for all costs of the period.
    pub(super) fn for_period(scope: &'static str, time: Period, row: CostRow, budget: Money) -> Self {
        Self { scope, name: None, time, row, budget }
    }

    /// Usage of the budgets of agents or projects, including those without costs.
    pub(super) fn for_names(by: CostGroup, time: Period, rows: &[CostRow], budgets: &[(String, Money)]) -> Vec<Self> {
        let used = |(name, budget): &(String, Money)| {
            let row = rows.iter().find(|row| row.group.as_ref() == Some(name)).cloned().unwrap_or_default();
            Self { scope: by.name(), name: Some(name.clone()), time, row, budget: *budget }
        };
        budgets.iter().map(used).collect()
    }

    /// Whether the known costs exceed the budget.
    pub(super) fn is_over(&self) -> bool {
        self.row.known > self.budget
    }
}
