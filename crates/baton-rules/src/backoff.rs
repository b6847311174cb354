//! Retry backoff for push notifications.

use std::time::Duration;

const INITIAL_DELAY: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Delay after a number of failed attempts: exponential up to a maximum, with up to 20 % jitter in both directions, so
/// that receivers that failed together are not retried together.
pub fn push_backoff(attempts: u32, spread: u64) -> Duration {
    let doublings = attempts.saturating_sub(1).min(16);
    let percent = 80 + u32::try_from(spread % 41).unwrap_or(20);
    INITIAL_DELAY.saturating_mul(1 << doublings).min(MAX_DELAY) * percent / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_maximum_with_a_jitter_of_a_fifth() {
        for (attempts, expect) in
            [(0, 500), (1, 500), (2, 1000), (3, 2000), (7, 30_000), (8, 30_000), (u32::MAX, 30_000)]
        {
            assert_eq!(push_backoff(attempts, 20), Duration::from_millis(expect), "{attempts}");
            for spread in [0, 7, 40, 41, u64::MAX] {
                let pause = push_backoff(attempts, spread).as_millis();
                assert!((u128::from(expect) * 8 / 10..=u128::from(expect) * 12 / 10).contains(&pause), "{pause}");
            }
        }
        assert_ne!(push_backoff(3, 0), push_backoff(3, 40));
    }
}
