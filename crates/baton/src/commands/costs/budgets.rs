//! How much of what may be spent was spent.

use super::{counted::By, ledger::Row, time::Period};
use crate::money::Money;

/// A budget, and what was used of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    /// What it is for: a day, a month, an agent or a project.
    pub(super) of: &'static str,
    /// Which agent or project.
    pub(super) name: Option<String>,
    /// From the beginning of the day or the month.
    pub(super) time: Period,
    pub(super) row: Row,
    pub(super) budget: Money,
}

impl Used {
    /// By everything in that time.
    pub(super) fn of_all(of: &'static str, time: Period, row: Row, budget: Money) -> Self {
        Self { of, name: None, time, row, budget }
    }

    /// By those that have a budget of their own, whether they did anything or not.
    pub(super) fn of_named(by: By, time: Period, rows: &[Row], budgets: &[(String, Money)]) -> Vec<Self> {
        let used = |(name, budget): &(String, Money)| {
            let row = rows.iter().find(|row| row.group.as_ref() == Some(name)).cloned().unwrap_or_default();
            Self { of: by.name(), name: Some(name.clone()), time, row, budget: *budget }
        };
        budgets.iter().map(used).collect()
    }

    /// Whether it is certain that more was spent.
    pub(super) fn is_over(&self) -> bool {
        self.row.known > self.budget
    }
}
