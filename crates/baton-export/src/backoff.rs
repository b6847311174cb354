//! Exponential backoff.

use rand::RngExt as _;
use std::time::Duration;

/// Upper bound of a delay requested by a server.
const MAX_RETRY_AFTER_DELAY: Duration = Duration::from_secs(10 * 60);

/// Exponential backoff with jitter, so that clients do not retry at the same time.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    max_delay: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) fn new(first: Duration, max_delay: Duration) -> Self {
        Self { first, max_delay, next: first }
    }

    /// Returns the next delay; a delay requested by the server takes precedence.
    pub(crate) fn next_delay(&mut self, retry_after: Option<Duration>) -> Duration {
        let usual = self.next.mul_f64(rand::rng().random_range(0.75..1.25));
        self.next = (self.next * 2).min(self.max_delay);
        match retry_after {
            Some(retry_after) => retry_after.min(MAX_RETRY_AFTER_DELAY).max(usual.min(self.first)),
            None => usual,
        }
    }

    /// Resets the delay after a success.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}
