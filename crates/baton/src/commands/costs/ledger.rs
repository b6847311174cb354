//! From counted tokens to money, by group.

use super::counted::{Cell, Cells};
use crate::{config::Price, money::Money};
use baton_models::Catalog;
use baton_types::Timestamp;
use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
};

/// Dollars for a million tokens beyond which a price is a mistake.
const MOST_RATE: f64 = 1e6;
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
    /// When the prices that come with Baton are looked up.
    pub(super) at: Timestamp,
}

impl Ledger<'_> {
    /// One row per group, in their order, and one for all of them.
    pub(super) fn rows(self, cells: &Cells) -> (Vec<Row>, Row) {
        let (mut rows, mut total): (Vec<Row>, Row) = <_>::default();
        let mut known = HashMap::new();
        for ((group, model), cell) in cells {
            if rows.last().is_none_or(|row| row.group != *group) {
                rows.push(Row { group: group.clone(), ..Row::default() });
            }
            let money = self.money(model.as_deref(), cell, &mut known);
            for row in rows.last_mut().into_iter().chain([&mut total]) {
                row.add(model.as_deref(), cell, money);
            }
        }
        (rows, total)
    }

    /// What these tokens cost; none when nobody said it.
    fn money<'b>(
        self,
        model: Option<&'b str>,
        cell: &Cell,
        known: &mut HashMap<&'b str, Option<Price>>,
    ) -> Option<Money> {
        let own = self.prices.iter().find(|price| Some(price.model.as_str()) == model);
        let price = match (own, model) {
            (None, Some(model)) => known.entry(model).or_insert_with(|| included(model, self.at)).as_ref(),
            (own, _) => own,
        };
        match price {
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
            None => None,
        }
    }
}

/// The price that comes with Baton, at the usual rates: what is summed up says nothing about the length of a call.
fn included(model: &str, at: Timestamp) -> Option<Price> {
    let rates = Catalog::default().rates(model, at)?;
    let money = |dollars| Money::of(dollars, MOST_RATE);
    Some(Price {
        model: model.to_owned(),
        input: money(rates.input)?,
        output: money(rates.output)?,
        cached: money(rates.cached),
        cache_write: money(rates.cache_write),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_prices_come_before_those_that_come_with_baton() {
        let at = Timestamp::parse("2026-11-16T12:00:00Z").unwrap();
        let dollars = |dollars| Money::of(dollars, 1e9).unwrap();
        let mine = |model: &str| Price {
            model: model.to_owned(),
            input: dollars(1.0),
            output: dollars(1.0),
            cached: None,
            cache_write: None,
        };
        let cell = Cell { calls: 1, input: 1_000_000, cached: 400_000, output: 100_000, ..Cell::default() };
        for (model, prices, expect) in [
            ("openai:gpt-5", vec![], Some(0.6 * 1.25 + 0.4 * 0.125 + 1.0)),
            ("gpt-5", vec![], Some(0.6 * 1.25 + 0.4 * 0.125 + 1.0)),
            ("gpt-5", vec![mine("gpt-5")], Some(1.1)),
            ("ollama:llama3.2", vec![], Some(0.0)),
            ("playbook", vec![], Some(0.0)),
            ("playbook", vec![mine("playbook")], Some(1.1)),
            ("mystery", vec![mine("other")], None),
        ] {
            let cells = Cells::from([((None, Some(model.to_owned())), cell)]);
            let (_, total) = Ledger { prices: &prices, at }.rows(&cells);
            assert_eq!(total.money(), expect.map(dollars), "{model}");
        }
    }
}
