//! Quantile estimation.
//!
//! Few values are kept exactly, so that the median of five spans is one of them. Many values are counted in buckets
//! that divide every power of two into 128; the error of a quantile is then below half a percent, for any number of
//! values. Tempo uses powers of two as buckets, which can be wrong by a factor of two: a tool that became a third
//! slower would look unchanged.

/// Maximum number of values that are kept exactly.
const MAX_EXACT_VALUES: usize = 256;
/// Buckets per power of two.
const BUCKETS_PER_POWER: usize = 128;
/// Low bits of a number that its bucket ignores.
const IGNORED_BITS: u32 = 45;

/// Unordered values for quantiles.
#[derive(Clone, Debug)]
pub(super) enum QuantileSketch {
    /// Order-preserving bits; integers sort faster than floats.
    Exact(Vec<i64>),
    Histogram(Box<QuantileHistogram>),
}

/// Counts by bucket.
#[derive(Clone, Debug)]
pub(super) struct QuantileHistogram {
    count: u64,
    min: f64,
    max: f64,
    /// Keyed by sign and exponent, in numeric order.
    powers: Vec<(i64, Box<[u64; BUCKETS_PER_POWER]>)>,
}

impl Default for QuantileSketch {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

impl QuantileSketch {
    /// Adds a value; returns the added bytes.
    pub(super) fn add(&mut self, value: f64, times: u64) -> usize {
        // Normalizes negative zero.
        let value = value + 0.0;
        match self {
            Self::Exact(values) if times.saturating_add(values.len() as u64) <= MAX_EXACT_VALUES as u64 => {
                let before = values.capacity();
                (0..times).for_each(|_| values.push(to_ordered_bits(value)));
                (values.capacity() - before) * size_of::<i64>()
            }
            Self::Exact(values) => {
                let mut many = QuantileHistogram::default();
                let bytes: usize = values.iter().map(|known| many.add(from_ordered_bits(*known), 1)).sum();
                let bytes = bytes + many.add(value, times);
                *self = Self::Histogram(Box::new(many));
                bytes
            }
            Self::Histogram(many) => many.add(value, times),
        }
    }

    /// Adds several values; returns the added bytes.
    pub(super) fn add_each(&mut self, more: impl ExactSizeIterator<Item = f64>) -> usize {
        match self {
            Self::Exact(values) if values.len() + more.len() <= MAX_EXACT_VALUES => {
                let before = values.capacity();
                values.reserve(more.len());
                values.extend(more.map(|value| to_ordered_bits(value + 0.0)));
                (values.capacity() - before) * size_of::<i64>()
            }
            _ => more.map(|value| self.add(value, 1)).sum(),
        }
    }

    pub(super) fn merge(&mut self, other: Self) -> usize {
        match other {
            Self::Exact(values) => values.into_iter().map(|value| self.add(from_ordered_bits(value), 1)).sum(),
            Self::Histogram(mut many) => {
                let bytes = match std::mem::take(self) {
                    Self::Exact(values) => values.into_iter().map(|value| many.add(from_ordered_bits(value), 1)).sum(),
                    Self::Histogram(other) => many.merge(&other),
                };
                *self = Self::Histogram(many);
                bytes
            }
        }
    }

    /// Prepares for access by rank.
    pub(super) fn sort(&mut self) {
        if let Self::Exact(values) = self {
            values.sort_unstable();
        }
    }

    /// The quantile of sorted values, interpolated between the two nearest; none if there are no values.
    pub(super) fn quantile(&self, quantile: f64) -> Option<f64> {
        let last = self.count().checked_sub(1)?;
        let rank = quantile * last as f64;
        let (low, share) = (rank.floor() as u64, rank.fract());
        let below = self.value_at_rank(low)?;
        let above = self.value_at_rank((low + 1).min(last))?;
        Some(below + (above - below) * share)
    }

    fn count(&self) -> u64 {
        match self {
            Self::Exact(values) => values.len() as u64,
            Self::Histogram(many) => many.count,
        }
    }

    fn value_at_rank(&self, rank: u64) -> Option<f64> {
        match self {
            Self::Exact(values) => {
                usize::try_from(rank).ok().and_then(|rank| values.get(rank)).map(|bits| from_ordered_bits(*bits))
            }
            Self::Histogram(many) => many.value_at_rank(rank),
        }
    }
}

impl Default for QuantileHistogram {
    fn default() -> Self {
        Self { count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, powers: Vec::new() }
    }
}

impl QuantileHistogram {
    fn add(&mut self, value: f64, times: u64) -> usize {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.count += times;
        let bits = to_ordered_bits(value);
        let (counts, bytes) = self.counts(bits >> 52);
        counts[(bits >> IGNORED_BITS) as usize % BUCKETS_PER_POWER] += times;
        bytes
    }

    fn merge(&mut self, other: &Self) -> usize {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
        let mut bytes = 0;
        for (power, other_counts) in &other.powers {
            let (counts, more) = self.counts(*power);
            counts.iter_mut().zip(other_counts.iter()).for_each(|(count, other_count)| *count += other_count);
            bytes += more;
        }
        bytes
    }

    fn counts(&mut self, power: i64) -> (&mut [u64; BUCKETS_PER_POWER], usize) {
        // Spans of one kind span few powers of two, so a linear scan beats a binary search.
        let at = self.powers.iter().position(|(known, _)| *known >= power).unwrap_or(self.powers.len());
        let is_new = self.powers.get(at).is_none_or(|(known, _)| *known != power);
        if is_new {
            self.powers.insert(at, (power, Box::new([0; BUCKETS_PER_POWER])));
        }
        (&mut self.powers[at].1, if is_new { size_of::<[u64; BUCKETS_PER_POWER]>() } else { 0 })
    }

    fn value_at_rank(&self, rank: u64) -> Option<f64> {
        let mut before = 0;
        for (power, counts) in &self.powers {
            for (divided, count) in counts.iter().enumerate() {
                before += count;
                if before > rank {
                    let middle = (power << 52) | ((divided as i64) << IGNORED_BITS) | (1 << (IGNORED_BITS - 1));
                    let number = from_ordered_bits(middle);
                    // Zero shares its bucket with subnormal numbers.
                    return Some(if number.is_subnormal() { 0.0 } else { number.clamp(self.min, self.max) });
                }
            }
        }
        None
    }
}

/// Order-preserving bits of a number.
fn to_ordered_bits(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

fn from_ordered_bits(bits: i64) -> f64 {
    let bits = if bits < 0 { bits ^ i64::MAX } else { bits };
    f64::from_bits(bits as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantile(values: impl Iterator<Item = f64>, quantile: f64) -> Option<f64> {
        let mut all = QuantileSketch::default();
        for value in values {
            all.add(value, 1);
        }
        all.sort();
        all.quantile(quantile)
    }

    #[test]
    fn quantiles_of_few_values_are_exact() {
        assert_eq!(quantile([].into_iter(), 0.5), None);
        assert_eq!(quantile([3.0, 1.0, 2.0].into_iter(), 0.5), Some(2.0));
        assert_eq!(quantile([4.0, 1.0, 2.0, 3.0].into_iter(), 0.5), Some(2.5));
        assert_eq!(quantile([1.0, 3.0].into_iter(), 0.25), Some(1.5));
        assert_eq!(quantile([-1.0, 3.0].into_iter(), 1.0), Some(3.0));
    }

    #[test]
    fn quantiles_of_many_values_are_approximate() {
        for (quantile_asked, exact) in [(0.0, -5_000.0), (0.25, -2_500.0), (0.5, 0.0), (0.99, 4_900.0), (1.0, 5_000.0)]
        {
            let found = quantile((-5_000..=5_000).map(f64::from), quantile_asked).unwrap();
            assert!((found - exact).abs() <= exact.abs() / 256.0, "{quantile_asked}: {found} is not {exact}");
        }
    }
}
