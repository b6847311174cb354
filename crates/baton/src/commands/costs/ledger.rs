//! From counted tokens to money, by group.

use super::counted::{Cell, Cells};
use crate::{config::Price, money::Money};
use std::{cmp::Ordering, collections::BTreeSet};

/// The built-in model of scripted answers, which nobody has to pay.
const FREE: &str = "playbook";
/// A model that its spans do not name.
const UNNAMED: &str = "calls that name no model";

/// A group as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// What spans say that it is; none where they say nothing.
    pub(super) group: Option<String>,
    pub(super) cell: Cell,
    /// For the models that have a price.
    pub(super) known: Money,
    /// Models without one.
    pub(super) unpriced: BTreeSet<String>,
}

/// Knows what models cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ledger<'a> {
    pub(super) prices: &'a [Price],
}

impl Ledger<'_> {
    /// One row per group, in their order, and one for all of them.
    pub(super) fn rows(self, cells: &Cells) -> (Vec<Row>, Row) {
        let (mut rows, mut total): (Vec<Row>, Row) = <_>::default();
        for ((group, model), cell) in cells {
            if rows.last().is_none_or(|row| row.group != *group) {
                rows.push(Row { group: group.clone(), ..Row::default() });
            }
            let money = self.money(model.as_deref(), cell);
            for row in rows.last_mut().into_iter().chain([&mut total]) {
                row.add(model.as_deref(), cell, money);
            }
        }
        (rows, total)
    }

    /// What these tokens cost; none when nobody said it.
    fn money(self, model: Option<&str>, cell: &Cell) -> Option<Money> {
        match self.prices.iter().find(|price| Some(price.model.as_str()) == model) {
            Some(Price { input, output, cached, cache_write, .. }) => {
                let plain = cell.input.saturating_sub(cell.cached).saturating_sub(cell.cache_written);
                let parts = [
                    input.for_tokens(plain),
                    cached.unwrap_or(*input).for_tokens(cell.cached),
                    cache_write.unwrap_or(*input).for_tokens(cell.cache_written),
                    output.for_tokens(cell.output),
                ];
                Some(parts.into_iter().sum())
            }
            None if model == Some(FREE) => Some(Money::default()),
            None => None,
        }
    }
}

impl Row {
    fn add(&mut self, model: Option<&str>, cell: &Cell, money: Option<Money>) {
        let sum = &mut self.cell;
        for (sum, one) in [
            (&mut sum.calls, cell.calls),
            (&mut sum.input, cell.input),
            (&mut sum.cached, cell.cached),
            (&mut sum.cache_written, cell.cache_written),
            (&mut sum.output, cell.output),
            (&mut sum.reasoning, cell.reasoning),
        ] {
            *sum = sum.saturating_add(one);
        }
        match money {
            Some(money) => self.known += money,
            None => {
                self.unpriced.insert(model.unwrap_or(UNNAMED).to_owned());
            }
        }
    }

    /// All that it cost; none when a price is missing.
    pub(super) fn money(&self) -> Option<Money> {
        self.unpriced.is_empty().then_some(self.known)
    }

    /// What cost most first, then what had most tokens.
    pub(super) fn by_weight(&self, other: &Self) -> Ordering {
        let weight = |row: &Self| (row.known, row.cell.input.saturating_add(row.cell.output), row.cell.calls);
        weight(other).cmp(&weight(self)).then_with(|| self.group.cmp(&other.group))
    }
}
