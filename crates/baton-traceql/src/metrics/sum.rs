//! Sums that are independent of the order of addition.

/// Integers below this are exact as `f64`.
const EXACT_INTEGER_LIMIT: f64 = 9_007_199_254_740_992.0;

/// An exact sum: integers in one accumulator, and the rest as non-overlapping partial sums.
#[derive(Clone, Debug, Default)]
pub(super) struct ExactSum {
    integers: i128,
    parts: Vec<f64>,
    count: u64,
}

impl ExactSum {
    /// Adds a value several times; returns the added bytes.
    pub(super) fn add(&mut self, value: f64, times: u64) -> usize {
        self.count += times;
        if value.fract() == 0.0 && value.abs() < EXACT_INTEGER_LIMIT {
            self.integers += value as i128 * i128::from(times);
            return 0;
        }
        let before = self.parts.capacity();
        // A product would be rounded; adding powers of two times the value is exact.
        let (mut times, mut value) = (times, value);
        while times > 0 {
            if times & 1 == 1 {
                add_part(&mut self.parts, value);
            }
            value *= 2.0;
            times >>= 1;
        }
        (self.parts.capacity() - before) * size_of::<f64>()
    }

    pub(super) fn merge(&mut self, other: &Self) -> usize {
        self.count += other.count;
        self.integers += other.integers;
        let before = self.parts.capacity();
        other.parts.iter().for_each(|part| add_part(&mut self.parts, *part));
        (self.parts.capacity() - before) * size_of::<f64>()
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The sum, rounded once; none if nothing was added.
    pub(super) fn total(&self) -> Option<f64> {
        (self.count > 0).then(|| {
            let mut parts = self.parts.clone();
            let mut rest = self.integers;
            while rest != 0 {
                let part = rest as f64;
                add_part(&mut parts, part);
                rest -= part as i128;
            }
            rounded(&parts)
        })
    }
}

/// Adds without rounding error: the error of each addition is kept as a separate partial sum.
fn add_part(parts: &mut Vec<f64>, value: f64) {
    let mut value = value;
    let mut count = 0;
    for index in 0..parts.len() {
        let mut part = parts[index];
        if value.abs() < part.abs() {
            std::mem::swap(&mut value, &mut part);
        }
        let sum = value + part;
        let remainder = part - (sum - value);
        if remainder != 0.0 {
            parts[count] = remainder;
            count += 1;
        }
        value = sum;
    }
    parts.truncate(count);
    parts.push(value);
}

/// The number nearest to the sum of the parts, which are in ascending order of magnitude.
fn rounded(parts: &[f64]) -> f64 {
    let mut left = parts.iter().rev().copied();
    let mut high = left.next().unwrap_or_default();
    let mut low = 0.0;
    for part in left.by_ref() {
        let before = high;
        high = before + part;
        low = part - (high - before);
        if low != 0.0 {
            break;
        }
    }
    // At a tie between two numbers, the next smaller part decides the direction of rounding.
    let next = left.next().unwrap_or_default();
    if (low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0) {
        let twice = low * 2.0;
        let further = high + twice;
        if twice == further - high {
            return further;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> Option<f64> {
        let mut sum = ExactSum::default();
        for value in values {
            sum.add(*value, 1);
        }
        sum.total()
    }

    #[test]
    fn sums_are_rounded_once() {
        assert_eq!(sum(&[]), None);
        assert_eq!(sum(&[0.1; 10]), Some(1.0));
        assert_eq!(sum(&[1e100, 1.5, -1e100]), Some(1.5));
        assert_eq!(sum(&[1e16, 1.0, 1e-16]), Some(1e16 + 2.0));
        assert_eq!(sum(&[9e15, 0.5, -9e15]), Some(0.5));
        assert_eq!(sum(&[f64::from(u32::MAX), -0.5]), Some(4_294_967_294.5));
    }

    #[test]
    fn repeated_value_equals_repeated_additions() {
        let (mut at_once, mut single) = (ExactSum::default(), ExactSum::default());
        for (value, times) in [(0.1, 7), (3.0, 5), (-0.7, 1_000)] {
            at_once.add(value, times);
            for _ in 0..times {
                single.add(value, 1);
            }
        }
        assert_eq!(at_once.total(), single.total());
        assert_eq!(at_once.count(), 1_012);
    }
}
