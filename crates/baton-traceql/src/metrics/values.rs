//! Values of which quantiles are asked.
//!
//! Few are kept as they are, so that the median of five spans is one of them. Many are counted in buckets that divide
//! every power of two into 128: a quantile is then wrong by less than half a percent, however many there are. Tempo
//! divides no further than into powers of two, which can be wrong by a factor of two: a tool that got a third slower would
//! look the same as before. That is why its way was not taken.

/// Most values that are kept as they are.
const FEW: usize = 256;
/// Into how many buckets a power of two is divided.
const DIVIDED: usize = 128;
/// Bits of a number below its bucket.
const BELOW: u32 = 45;

/// Values without order.
#[derive(Clone, Debug)]
pub(super) enum Values {
    /// As bits that have the order of numbers: whole numbers are sorted faster.
    Few(Vec<i64>),
    Many(Box<Many>),
}

/// Counts by bucket.
#[derive(Clone, Debug)]
pub(super) struct Many {
    count: u64,
    least: f64,
    most: f64,
    /// By sign and exponent, in the order of numbers.
    powers: Vec<(i64, Box<[u64; DIVIDED]>)>,
}

impl Default for Values {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Values {
    /// Counts a value; says how many bytes that took.
    pub(super) fn add(&mut self, value: f64, times: u64) -> usize {
        // Zero has two signs, and both are the same number.
        let value = value + 0.0;
        match self {
            Self::Few(values) if times.saturating_add(values.len() as u64) <= FEW as u64 => {
                let before = values.capacity();
                (0..times).for_each(|_| values.push(ordered(value)));
                (values.capacity() - before) * size_of::<i64>()
            }
            Self::Few(values) => {
                let mut many = Many::default();
                let bytes: usize = values.iter().map(|known| many.add(number(*known), 1)).sum();
                let bytes = bytes + many.add(value, times);
                *self = Self::Many(Box::new(many));
                bytes
            }
            Self::Many(many) => many.add(value, times),
        }
    }

    /// Counts several values; says how many bytes that took.
    pub(super) fn add_each(&mut self, more: impl ExactSizeIterator<Item = f64>) -> usize {
        match self {
            Self::Few(values) if values.len() + more.len() <= FEW => {
                let before = values.capacity();
                values.reserve(more.len());
                values.extend(more.map(|value| ordered(value + 0.0)));
                (values.capacity() - before) * size_of::<i64>()
            }
            _ => more.map(|value| self.add(value, 1)).sum(),
        }
    }

    pub(super) fn merge(&mut self, other: Self) -> usize {
        match other {
            Self::Few(values) => values.into_iter().map(|value| self.add(number(value), 1)).sum(),
            Self::Many(mut many) => {
                let bytes = match std::mem::take(self) {
                    Self::Few(values) => values.into_iter().map(|value| many.add(number(value), 1)).sum(),
                    Self::Many(other) => many.merge(&other),
                };
                *self = Self::Many(many);
                bytes
            }
        }
    }

    /// What is needed to look at values by rank.
    pub(super) fn sort(&mut self) {
        if let Self::Few(values) = self {
            values.sort_unstable();
        }
    }

    /// The quantile of sorted values, between the two nearest where it falls between; none when there are none.
    pub(super) fn quantile(&self, quantile: f64) -> Option<f64> {
        let last = self.count().checked_sub(1)?;
        let rank = quantile * last as f64;
        let (low, share) = (rank.floor() as u64, rank.fract());
        let below = self.ranked(low)?;
        let above = self.ranked((low + 1).min(last))?;
        Some(below + (above - below) * share)
    }

    fn count(&self) -> u64 {
        match self {
            Self::Few(values) => values.len() as u64,
            Self::Many(many) => many.count,
        }
    }

    fn ranked(&self, rank: u64) -> Option<f64> {
        match self {
            Self::Few(values) => usize::try_from(rank).ok().and_then(|rank| values.get(rank)).map(|bits| number(*bits)),
            Self::Many(many) => many.ranked(rank),
        }
    }
}

impl Default for Many {
    fn default() -> Self {
        Self { count: 0, least: f64::INFINITY, most: f64::NEG_INFINITY, powers: Vec::new() }
    }
}

impl Many {
    fn add(&mut self, value: f64, times: u64) -> usize {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.count += times;
        let bits = ordered(value);
        let (counts, bytes) = self.counts(bits >> 52);
        counts[(bits >> BELOW) as usize % DIVIDED] += times;
        bytes
    }

    fn merge(&mut self, other: &Self) -> usize {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.count += other.count;
        let mut bytes = 0;
        for (power, theirs) in &other.powers {
            let (counts, more) = self.counts(*power);
            counts.iter_mut().zip(theirs.iter()).for_each(|(count, their)| *count += their);
            bytes += more;
        }
        bytes
    }

    fn counts(&mut self, power: i64) -> (&mut [u64; DIVIDED], usize) {
        // Spans of one kind have few powers of two: looking through them beats a search.
        let at = self.powers.iter().position(|(known, _)| *known >= power).unwrap_or(self.powers.len());
        let is_new = self.powers.get(at).is_none_or(|(known, _)| *known != power);
        if is_new {
            self.powers.insert(at, (power, Box::new([0; DIVIDED])));
        }
        (&mut self.powers[at].1, if is_new { size_of::<[u64; DIVIDED]>() } else { 0 })
    }

    fn ranked(&self, rank: u64) -> Option<f64> {
        let mut before = 0;
        for (power, counts) in &self.powers {
            for (divided, count) in counts.iter().enumerate() {
                before += count;
                if before > rank {
                    let middle = (power << 52) | ((divided as i64) << BELOW) | (1 << (BELOW - 1));
                    let number = number(middle);
                    // Zero shares its bucket with numbers that are next to nothing.
                    return Some(if number.is_subnormal() { 0.0 } else { number.clamp(self.least, self.most) });
                }
            }
        }
        None
    }
}

/// Bits of a number that have the order of numbers.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

fn number(bits: i64) -> f64 {
    let bits = if bits < 0 { bits ^ i64::MAX } else { bits };
    f64::from_bits(bits as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantile(values: impl Iterator<Item = f64>, quantile: f64) -> Option<f64> {
        let mut all = Values::default();
        for value in values {
            all.add(value, 1);
        }
        all.sort();
        all.quantile(quantile)
    }

    #[test]
    fn few_are_exact() {
        assert_eq!(quantile([].into_iter(), 0.5), None);
        assert_eq!(quantile([3.0, 1.0, 2.0].into_iter(), 0.5), Some(2.0));
        assert_eq!(quantile([4.0, 1.0, 2.0, 3.0].into_iter(), 0.5), Some(2.5));
        assert_eq!(quantile([1.0, 3.0].into_iter(), 0.25), Some(1.5));
        assert_eq!(quantile([-1.0, 3.0].into_iter(), 1.0), Some(3.0));
    }

    #[test]
    fn many_are_nearly() {
        for (quantile_asked, exact) in [(0.0, -5_000.0), (0.25, -2_500.0), (0.5, 0.0), (0.99, 4_900.0), (1.0, 5_000.0)]
        {
            let found = quantile((-5_000..=5_000).map(f64::from), quantile_asked).unwrap();
            assert!((found - exact).abs() <= exact.abs() / 256.0, "{quantile_asked}: {found} is not {exact}");
        }
    }
}
