//! Computes costs from token counts, by group.

use super::usage::{ModelUsage, UsageByGroup};
use crate::{config::Price, money::Money};
use baton_server::ModelCatalog;
use baton_types::Timestamp;
use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
};

/// Upper bound of a price, in dollars per million tokens; higher prices are mistakes.
const MAX_PRICE: f64 = 1e6;
/// Label for spans without a model name.
const UNNAMED_MODEL: &str = "calls without a model name";

/// Sums of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CostRow {
    /// Value of the group attribute; `None` if the spans lack it.
    pub(super) group: Option<String>,
    pub(super) cell: ModelUsage,
    /// Costs of the models with a price.
    pub(super) known: Money,
    /// Models without a price.
    pub(super) unpriced: BTreeSet<String>,
}

/// Price lookup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ledger<'a> {
    pub(super) prices: &'a [Price],
    /// Time at which the built-in prices are looked up.
    pub(super) at: Timestamp,
}

impl Ledger<'_> {
    /// One row per group in key order, and the total.
    pub(super) fn rows(self, cells: &UsageByGroup) -> (Vec<CostRow>, CostRow) {
        let (mut rows, mut total): (Vec<CostRow>, CostRow) = <_>::default();
        let mut known = HashMap::new();
        for ((group, model), cell) in cells {
            if rows.last().is_none_or(|row| row.group != *group) {
                rows.push(CostRow { group: group.clone(), ..CostRow::default() });
            }
            let money = self.money(model.as_deref(), cell, &mut known);
            for row in rows.last_mut().into_iter().chain([&mut total]) {
                row.add(model.as_deref(), cell, money);
            }
        }
        (rows, total)
    }

    /// Costs of the tokens; `None` without a price.
    fn money<'b>(
        self,
        model: Option<&'b str>,
        cell: &ModelUsage,
        known: &mut HashMap<&'b str, Option<Price>>,
    ) -> Option<Money> {
        let own = self.prices.iter().find(|price| Some(price.model.as_str()) == model);
        let price = match (own, model) {
            (None, Some(model)) => known.entry(model).or_insert_with(|| built_in_price(model, self.at)).as_ref(),
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

/// Built-in price at the standard rate. Sums do not record the length of single calls, so long-context rates cannot
/// apply.
fn built_in_price(model: &str, at: Timestamp) -> Option<Price> {
    let rates = ModelCatalog::default().rates(model, at)?;
    let money = |dollars| Money::from_dollars(dollars, MAX_PRICE);
    Some(Price {
        model: model.to_owned(),
        input: money(rates.input)?,
        output: money(rates.output)?,
        cached: money(rates.cached),
        cache_write: money(rates.cache_write),
    })
}

impl CostRow {
    fn add(&mut self, model: Option<&str>, cell: &ModelUsage, money: Option<Money>) {
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
                self.unpriced.insert(model.unwrap_or(UNNAMED_MODEL).to_owned());
            }
        }
    }

    /// Total costs; `None` if a price is missing.
    pub(super) fn money(&self) -> Option<Money> {
        self.unpriced.is_empty().then_some(self.known)
    }

    /// Orders by costs, then by tokens, both descending.
    pub(super) fn compare_costs(&self, other: &Self) -> Ordering {
        let weight = |row: &Self| (row.known, row.cell.input.saturating_add(row.cell.output), row.cell.calls);
        weight(other).cmp(&weight(self)).then_with(|| self.group.cmp(&other.group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configured_prices_override_built_in_prices() {
        let at = Timestamp::parse("2026-11-16T12:00:00Z").unwrap();
        let dollars = |dollars| Money::from_dollars(dollars, 1e9).unwrap();
        let mine = |model: &str| Price {
            model: model.to_owned(),
            input: dollars(1.0),
            output: dollars(1.0),
            cached: None,
            cache_write: None,
        };
        let cell = ModelUsage { calls: 1, input: 1_000_000, cached: 400_000, output: 100_000, ..ModelUsage::default() };
        for (model, prices, expect) in [
            ("openai:gpt-5", vec![], Some(0.6 * 1.25 + 0.4 * 0.125 + 1.0)),
            ("gpt-5", vec![], Some(0.6 * 1.25 + 0.4 * 0.125 + 1.0)),
            ("gpt-5", vec![mine("gpt-5")], Some(1.1)),
            ("ollama:llama3.2", vec![], Some(0.0)),
            ("playbook", vec![], Some(0.0)),
            ("playbook", vec![mine("playbook")], Some(1.1)),
            ("mystery", vec![mine("other")], None),
        ] {
            let cells = UsageByGroup::from([((None, Some(model.to_owned())), cell)]);
            let (_, total) = Ledger { prices: &prices, at }.rows(&cells);
            assert_eq!(total.money(), expect.map(dollars), "{model}");
        }
    }
}
