//! Exact dollar amounts: sums and prices never pass through binary fractions.

use std::{fmt, iter::Sum, ops::AddAssign};

/// Units per dollar. Prices per million tokens are exact to a billionth of a dollar, so the cost of one token is a
/// whole number of units.
const UNITS_PER_DOLLAR: u128 = 1_000_000_000_000_000;
/// Units of the smallest amount that can be configured: a billionth of a dollar.
const MIN_UNITS: u128 = UNITS_PER_DOLLAR / 1_000_000_000;
/// Prices are per million tokens.
const TOKENS_PER_PRICE: u128 = 1_000_000;
/// Decimals of an amount in a table, and the units of the last decimal.
const DECIMALS: usize = 4;
const LAST_DECIMAL_UNITS: u128 = UNITS_PER_DOLLAR / 10_000;

/// An amount of dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Money(u128);

impl Money {
    /// An amount from dollars, rounded to a billionth; none if it is negative, not a number or above `max`.
    pub(crate) fn from_dollars(dollars: f64, max: f64) -> Option<Self> {
        (0.0..=max).contains(&dollars).then(|| Self((dollars * 1e9).round() as u128 * MIN_UNITS))
    }

    /// Cost of `tokens` tokens, with `self` as the price per million.
    pub(crate) fn for_tokens(self, tokens: u64) -> Self {
        Self((self.0 / TOKENS_PER_PRICE).saturating_mul(u128::from(tokens)))
    }

    /// Percentage of a budget, rounded down; none for a budget of zero.
    pub(crate) fn percent_of(self, budget: Self) -> Option<u128> {
        self.0.saturating_mul(100).checked_div(budget.0)
    }

    /// Share of a budget as a fraction with four digits; none for a budget of zero.
    pub(crate) fn share_of(self, budget: Self) -> Option<f64> {
        Some(self.0.saturating_mul(10_000).checked_div(budget.0)? as f64 / 10_000.0)
    }

    /// All digits, with at least two decimals: `5.00`, `0.001278`.
    pub(crate) fn exact(self) -> String {
        let digits = format!("{:015}", self.0 % UNITS_PER_DOLLAR);
        let decimals = digits.trim_end_matches('0').len().max(2);
        format!("{}.{}", self.0 / UNITS_PER_DOLLAR, &digits[..decimals])
    }

    /// The nearest `f64`; its shortest decimal form is the exact amount.
    pub(crate) fn dollars(self) -> f64 {
        self.exact().parse().unwrap_or(f64::MAX)
    }
}

/// Rounds half up to a hundredth of a cent; smaller amounts are shown as `<$0.0001`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 && self.0 < LAST_DECIMAL_UNITS {
            return f.write_str("<$0.0001");
        }
        let rounded = self.0.saturating_add(LAST_DECIMAL_UNITS / 2) / LAST_DECIMAL_UNITS;
        let unit = UNITS_PER_DOLLAR / LAST_DECIMAL_UNITS;
        write!(f, "${}.{:0DECIMALS$}", rounded / unit, rounded % unit)
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(dollars: f64) -> Money {
        Money::from_dollars(dollars, 1e9).unwrap()
    }

    #[test]
    fn amounts_keep_their_exact_digits() {
        let tenths: Money = (0..3).map(|_| money(0.1)).sum();
        assert_eq!((tenths, tenths.exact().as_str()), (money(0.3), "0.30"));
        for (price, tokens, exact, shown) in [
            (3.0, 426, "0.001278", "$0.0013"),
            (0.075, 1, "0.000000075", "<$0.0001"),
            (15.0, 0, "0.00", "$0.0000"),
            (0.000_000_001, 1, "0.000000000000001", "<$0.0001"),
            (3.0, 50, "0.00015", "$0.0002"),
            (2.5, 1_234_567, "3.0864175", "$3.0864"),
            (15.0, 9_007_199_254_740_993, "135107988821.114895", "$135107988821.1149"),
        ] {
            let cost = money(price).for_tokens(tokens);
            assert_eq!((cost.exact().as_str(), cost.to_string().as_str()), (exact, shown), "{price} {tokens}");
        }
        assert_eq!(format!("{}", serde_json::json!(money(0.3).for_tokens(30_000).dollars())), "0.009");
        assert_eq!(
            (Money::from_dollars(-0.1, 1.0), Money::from_dollars(1.1, 1.0), Money::from_dollars(f64::NAN, 1.0)),
            (None, None, None)
        );
        assert_eq!(
            (Money(u128::MAX).for_tokens(u64::MAX).0, money(1e9).exact().as_str()),
            (u128::MAX, "1000000000.00")
        );
    }

    #[test]
    fn shares_are_rounded_down() {
        let percent = |used, budget| money(used).percent_of(money(budget));
        assert_eq!((percent(4.999, 5.0), percent(5.001, 5.0), percent(12.0, 5.0)), (Some(99), Some(100), Some(240)));
        assert_eq!((percent(0.0, 5.0), percent(1.0, 0.0)), (Some(0), None));
        assert_eq!(money(1.0).share_of(money(3.0)), Some(0.3333));
    }
}
