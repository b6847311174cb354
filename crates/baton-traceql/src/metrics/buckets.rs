//! Power-of-two histogram buckets.

/// Counts by upper bound, ascending; there are few buckets, so a list suffices.
#[derive(Clone, Debug, Default)]
pub(super) struct PowerBuckets(Vec<(f64, u64)>);

impl PowerBuckets {
    /// Adds a value; returns whether its bucket is new.
    pub(super) fn add(&mut self, value: f64, times: u64) -> bool {
        self.put(bucket(value), times)
    }

    pub(super) fn merge(&mut self, other: &Self) -> usize {
        other.0.iter().filter(|(bucket, count)| self.put(*bucket, *count)).count()
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.0.iter().copied()
    }

    fn put(&mut self, bucket: f64, times: u64) -> bool {
        match self.0.binary_search_by(|(known, _)| known.total_cmp(&bucket)) {
            Ok(at) => {
                self.0[at].1 += times;
                false
            }
            Err(at) => {
                self.0.insert(at, (bucket, times));
                true
            }
        }
    }
}

/// The smallest power of two that is not below the value; 0 for values that are not positive.
pub(super) fn bucket(value: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    if value <= 0.0 {
        return 0.0;
    }
    // Subnormal numbers share the bucket of the smallest normal number.
    let value = value.max(f64::MIN_POSITIVE);
    let power = f64::from_bits(value.to_bits() & !MANTISSA);
    if power == value { power } else { power * 2.0 }
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn a_power_of_two_is_its_own_bucket() {
        let table = [
            (-3.0, 0.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (1.5, 2.0),
            (2.0, 2.0),
            (3.0, 4.0),
            (0.3, 0.5),
            (1_000_000_000.0, 1_073_741_824.0),
            (1_073_741_825.0, 2_147_483_648.0),
            (1e-320, f64::MIN_POSITIVE),
        ];
        for (value, wanted) in table {
            assert_eq!(bucket(value), wanted, "{value}");
        }
    }
}
