//! The keys `prices` and `budgets`: token prices and spending budgets.

use crate::money::Money;
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue};

/// Maximum price of a million tokens and maximum budget, in dollars.
pub(in crate::config) const MAX_PRICE: f64 = 1e6;
pub(in crate::config) const MAX_BUDGET: f64 = 1e9;
/// Maximum models with a price, and maximum agents or projects with a budget.
pub(in crate::config) const MAX_ENTRIES: usize = 1_000;

/// Token prices of a model, per million tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Price {
    /// Model name, as in spans.
    pub(crate) model: String,
    /// Price of input tokens.
    pub(crate) input: Money,
    /// Price of output tokens.
    pub(crate) output: Money,
    /// Price of input tokens read from a cache; `input` if not given.
    pub(crate) cached: Option<Money>,
    /// Price of input tokens written to a cache; `input` if not given.
    pub(crate) cache_write: Option<Money>,
}

/// Spending budgets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budgets {
    /// Per day.
    pub(crate) day: Option<Money>,
    /// Per month.
    pub(crate) month: Option<Money>,
    /// Per month, by agent name.
    pub(crate) agents: Vec<(String, Money)>,
    /// Per month, by project name.
    pub(crate) projects: Vec<(String, Money)>,
}

/// The key `prices`.
pub(super) fn prices(reader: &mut DocumentReader, node: DocumentNode) -> Vec<Price> {
    let entries = entries(reader, "prices", node);
    entries.into_iter().filter_map(|(model, node)| price(reader, model, node)).collect()
}

fn price(reader: &mut DocumentReader, model: String, node: DocumentNode) -> Option<Price> {
    let location = node.location;
    let mut fields = Fields::open(reader, format!("the price of '{}'", model.escape_debug()), node)?;
    let mut part = |reader: &mut DocumentReader, key| {
        let node = fields.take(key)?;
        Some(dollars(reader, key, MAX_PRICE, &node))
    };
    let [input, output, cached, cache_write] =
        ["input", "output", "cached", "cache_write"].map(|key| part(reader, key));
    fields.finish(reader);
    for (key, missing) in [("input", input.is_none()), ("output", output.is_none())] {
        if missing {
            let hint = "write dollars per million tokens, such as { input: 3.0, output: 15.0 }";
            reader.error(location, format!("the price of '{}' has no {key}", model.escape_debug()), hint);
        }
    }
    Some(Price {
        model,
        input: input??,
        output: output??,
        cached: cached.flatten(),
        cache_write: cache_write.flatten(),
    })
}

impl Budgets {
    /// The key `budgets`.
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "budgets", node)?;
        let amount = |fields: &mut Fields, reader: &mut DocumentReader, key| {
            fields.take(key).and_then(|node| dollars(reader, key, MAX_BUDGET, &node))
        };
        let named = |fields: &mut Fields, reader: &mut DocumentReader, key| {
            let entries = fields.take(key).map(|node| entries(reader, key, node)).unwrap_or_default();
            let budget = |(name, node): (String, DocumentNode)| {
                let subject = format!("the budget of '{}'", name.escape_debug());
                Some((name, dollars(reader, &subject, MAX_BUDGET, &node)?))
            };
            entries.into_iter().filter_map(budget).collect()
        };
        let budgets = Self {
            day: amount(&mut fields, reader, "day"),
            month: amount(&mut fields, reader, "month"),
            agents: named(&mut fields, reader, "agents"),
            projects: named(&mut fields, reader, "projects"),
        };
        fields.finish(reader);
        Some(budgets)
    }
}

/// A map with user-defined keys.
fn entries(reader: &mut DocumentReader, subject: &str, node: DocumentNode) -> Vec<(String, DocumentNode)> {
    let location = node.location;
    let Some(fields) = Fields::open(reader, subject, node) else { return Vec::new() };
    let entries = fields.into_entries();
    if entries.len() > MAX_ENTRIES {
        reader.error(location, format!("{subject} has {} entries", entries.len()), format!("keep it to {MAX_ENTRIES}"));
    }
    entries.into_iter().take(MAX_ENTRIES).map(|entry| (entry.key, entry.node)).collect()
}

fn dollars(reader: &mut DocumentReader, subject: &str, max: f64, node: &DocumentNode) -> Option<Money> {
    let NodeValue::Number(number) = &node.value else {
        return reader.report_expected(subject, "a number of dollars", node);
    };
    let money = number.as_f64().and_then(|dollars| Money::from_dollars(dollars, max));
    if money.is_none() {
        reader.error(
            node.location,
            format!("{subject} is not an amount of dollars"),
            "write a number of 0 or more, such as 3.0",
        );
    }
    money
}

#[cfg(test)]
mod tests {
    use crate::config::raw::RawConfig;

    #[test]
    fn invalid_prices_and_budgets_are_reported() {
        for (yaml, expect) in [
            ("prices: { m: { input: 3 } }", "the price of 'm' has no output"),
            ("prices: { m: }", "the price of 'm' has no input"),
            ("prices: { m: { input: -1, output: 2 } }", "input is not an amount of dollars"),
            ("prices: { m: { input: 1, output: 1000001 } }", "output is not an amount of dollars"),
            ("prices: { m: { input: free, output: 2 } }", "input must be a number of dollars, not text"),
            ("prices: { m: { input: 1, output: 2, cashed: 3 } }", "did you mean 'cached'?"),
            ("prices: { m: { input: 1, output: 2, cache_write: -3 } }", "cache_write is not an amount of dollars"),
            ("prices: [m]", "prices must be a map of keys"),
            ("budgets: { day: lots }", "day must be a number of dollars"),
            ("budgets: { week: 5 }", "budgets has no key 'week'"),
            ("budgets: { projects: { a: -5 } }", "the budget of 'a' is not an amount of dollars"),
            ("budgets: { agents: [a] }", "agents must be a map of keys"),
        ] {
            let wrong = RawConfig::parse("baton.yaml", yaml.as_bytes()).expect_err(yaml);
            let said = format!("{wrong:?}");
            assert!(said.contains(expect), "{yaml}: {said}");
        }
    }
}
