//! Rate limits over time.

use baton_rules::{RateLimit, TokenBucket};
use proptest::prelude::*;
use std::time::Duration;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn a_burst_then_the_steady_rate() {
    let limit = RateLimit { per_second: 10, burst: 3 };
    let mut bucket = TokenBucket::default();
    // Rows: time, and required wait (0: allowed).
    for (now, wait) in [
        (0, 0),
        (0, 0),
        (0, 0),
        (0, 100),
        (40, 60),
        (99, 1),
        (100, 0),
        (100, 100),
        (350, 0),
        (350, 0),
        (350, 50),
        (10_000, 0),
        (10_000, 0),
        (10_000, 0),
        (10_000, 100),
    ] {
        match bucket.take(limit, ms(now)) {
            Ok(next) => {
                assert_eq!(wait, 0, "at {now}");
                bucket = next;
            }
            Err(left) => assert_eq!(left, ms(wait), "at {now}"),
        }
    }
    assert!(!bucket.is_full(ms(10_299)));
    assert!(bucket.is_full(ms(10_300)));
    assert_eq!(bucket.full_at(), ms(10_300));
}

#[test]
fn limit_of_zero_means_one_per_second() {
    let limit = RateLimit { per_second: 0, burst: 0 };
    let bucket = TokenBucket::default().take(limit, ms(0)).unwrap();
    assert_eq!(bucket.take(limit, ms(250)), Err(ms(750)));
    assert!(bucket.take(limit, ms(1000)).is_ok());
}

proptest! {
    /// A caller gets at most the burst plus the earned tokens, and waiting for the returned time succeeds.
    #[test]
    fn requests_never_exceed_the_limit(
        per_second in 1u32..2000,
        burst in 1u32..50,
        pauses in proptest::collection::vec(0u64..5_000_000, 1..200),
    ) {
        let limit = RateLimit { per_second, burst };
        let (mut bucket, mut now, mut taken) = (TokenBucket::default(), Duration::ZERO, 0u64);
        for pause in pauses {
            now += Duration::from_nanos(pause);
            match bucket.take(limit, now) {
                Ok(next) => {
                    bucket = next;
                    taken += 1;
                }
                Err(wait) => prop_assert!(bucket.take(limit, now + wait).is_ok() && wait > Duration::ZERO),
            }
            // Intervals are rounded down to whole nanoseconds, which earns slightly more.
            let earned = now.as_secs_f64() * f64::from(per_second) * 1.001;
            prop_assert!(taken as f64 <= f64::from(burst) + earned + 1e-6);
        }
    }
}
