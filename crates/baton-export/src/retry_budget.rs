//! Time limit for retrying after server errors, before the payload is assumed to be the cause.

use std::time::Duration;
use tokio::time::Instant;

/// Maximum number of doublings of the time limit.
const MAX_DOUBLINGS: u32 = 4;

/// Retry time limit. If consecutive payloads fail, the payload is unlikely to be the cause: the limit doubles each
/// time, until a payload is accepted.
#[derive(Clone, Debug)]
pub(crate) struct RetryBudget {
    base: Duration,
    /// Time of the first failure of the current payload.
    since: Option<Instant>,
    /// Number of consecutive payloads whose limit was reached.
    exhausted_count: u32,
}

impl RetryBudget {
    pub(crate) fn new(base: Duration) -> Self {
        Self { base, since: None, exhausted_count: 0 }
    }

    /// Records a failure; returns whether to retry.
    pub(crate) fn should_retry(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let lasts = since.elapsed() < self.base * 2_u32.pow(self.exhausted_count);
        if !lasts {
            self.since = None;
            self.exhausted_count = (self.exhausted_count + 1).min(MAX_DOUBLINGS);
        }
        lasts
    }

    /// Starts a new payload.
    pub(crate) fn start_payload(&mut self) {
        self.since = None;
    }

    /// Records an accepted payload.
    pub(crate) fn reset(&mut self) {
        (self.since, self.exhausted_count) = (None, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    async fn tries(budget: &mut RetryBudget) -> u32 {
        let mut tries = 0;
        while budget.should_retry() {
            tries += 1;
            tokio::time::advance(SECOND).await;
        }
        tries
    }

    #[tokio::test(start_paused = true)]
    async fn budget_grows_while_nothing_is_accepted() {
        let mut budget = RetryBudget::new(5 * SECOND);
        for expect in [5, 10, 20, 40, 80, 80] {
            assert_eq!(tries(&mut budget).await, expect);
        }
        budget.reset();
        assert!(budget.should_retry());
        tokio::time::advance(5 * SECOND).await;
        budget.start_payload();
        assert_eq!(tries(&mut budget).await, 5, "the next payload has its own budget");
    }
}
