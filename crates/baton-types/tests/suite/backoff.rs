//! Delays of retry loops.

use baton_types::{Backoff, BackoffPolicy, Jitter};
use proptest::prelude::*;
use std::time::Duration;

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn delays(policy: BackoffPolicy, count: usize) -> Vec<u128> {
    let mut backoff = Backoff::new(policy);
    (0..count).map(|_| backoff.next_delay().as_millis()).collect()
}

#[test]
fn delays_grow_from_the_first_to_the_maximum() {
    let doubling = BackoffPolicy::new(millis(500), millis(30_000));
    for (policy, expect) in [
        (doubling, &[500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000][..]),
        (doubling.with_factor(1), &[500, 500, 500]),
        (doubling.with_factor(10), &[500, 5000, 30_000, 30_000]),
        (BackoffPolicy::new(millis(0), millis(100)), &[0, 0]),
        (BackoffPolicy::new(millis(200), millis(100)), &[100, 100]),
    ] {
        assert_eq!(delays(policy, expect.len()), expect, "{policy:?}");
    }
    assert_eq!(doubling.delay(u32::MAX), millis(30_000));
}

#[test]
fn jitter_moves_a_delay_within_its_bounds() {
    let policy = BackoffPolicy::new(millis(1000), millis(4000));
    for ((min, max), [lowest, middle, highest]) in [
        ((100, 100), [1000, 1000, 1000]),
        ((80, 120), [800, 1000, 1200]),
        ((0, 100), [0, 500, 1000]),
        ((50, 100), [500, 750, 1000]),
    ] {
        let policy = policy.with_jitter(min, max);
        let at = |fraction| policy.jittered_delay(0, Jitter::from_fraction(fraction)).as_millis();
        assert_eq!([at(0.0), at(0.5), at(1.0)], [lowest, middle, highest], "{min} {max}");
        assert_eq!([at(-1.0), at(f64::NAN), at(7.0)], [lowest, lowest, highest], "{min} {max}");
        assert_eq!(policy.delay(0), millis(1000), "without jitter");
    }
    assert_eq!([Jitter::from_bits(0), Jitter::from_bits(u64::MAX)], [0.0, 1.0].map(Jitter::from_fraction));
}

#[test]
fn loop_ends_at_its_limit_and_begins_again_after_a_success() {
    let mut backoff = Backoff::new(BackoffPolicy::new(millis(100), millis(1000)).with_max_retries(2));
    let mut steps = Vec::new();
    for _ in 0..2 {
        while !backoff.is_exhausted() {
            steps.push(backoff.next_delay());
        }
        backoff.reset();
    }
    assert_eq!(steps, [100, 200, 100, 200].map(millis));
}

proptest! {
    #[test]
    fn delays_are_bounded_and_never_shrink(
        first in 0..u64::MAX,
        max in 0..u64::MAX,
        factor in 1..u32::MAX,
        (low, high) in (0..=100_u32, 100..=300_u32),
        bits in any::<u64>(),
    ) {
        let (first, max) = (Duration::from_nanos(first), Duration::from_nanos(max));
        let policy = BackoffPolicy::new(first, max).with_factor(factor).with_jitter(low, high);
        let mut backoff = Backoff::new(policy);
        let mut last = Duration::ZERO;
        for retry in 0..40 {
            let delay = policy.delay(retry);
            prop_assert!(last <= delay && delay <= max && delay >= first.min(max));
            last = delay;
            let jittered = backoff.next_jittered(Jitter::from_bits(bits)).as_secs_f64();
            let seconds = delay.as_secs_f64();
            let (least, most) = (seconds * f64::from(low) / 100.0, seconds * f64::from(high) / 100.0);
            prop_assert!((least * 0.999..=most * 1.001 + 1e-9).contains(&jittered), "{jittered} {least} {most}");
        }
    }

    #[test]
    fn extreme_policies_do_not_overflow(retry in any::<u32>(), factor in any::<u32>(), fraction in any::<f64>()) {
        let policy = BackoffPolicy::new(Duration::MAX, Duration::MAX).with_factor(factor).with_jitter(0, u32::MAX);
        prop_assert!(policy.delay(retry) <= policy.jittered_delay(retry, Jitter::from_fraction(1.0)));
        let _ = policy.jittered_delay(retry, Jitter::from_fraction(fraction));
    }
}
