//! Retry delays.

use crate::CallError;
use std::time::Duration;

/// Exponential backoff with jitter.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    max_delay: Duration,
    tries: u32,
    /// Minimum delay, in percent of the maximum of the attempt.
    floor: u32,
}

impl Backoff {
    /// For reconnects: 100 ms to 10 s, full jitter.
    pub(crate) fn reconnects() -> Self {
        Self { first: Duration::from_millis(100), max_delay: Duration::from_secs(10), tries: 0, floor: 0 }
    }

    /// For polls of a task: 0.5 s to 15 s, with a random second half.
    pub(crate) fn polling() -> Self {
        Self { first: Duration::from_millis(500), max_delay: Duration::from_secs(15), tries: 0, floor: 50 }
    }

    /// Resets the delay after a success.
    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }

    /// The next delay; at least the delay requested by the peer.
    pub(crate) fn next(&mut self, asked_for: Option<Duration>) -> Duration {
        let ceiling = self.first.saturating_mul(1 << self.tries.min(20)).min(self.max_delay);
        self.tries = self.tries.saturating_add(1);
        let certain = ceiling * self.floor / 100;
        let chance = u32::try_from(getrandom::u64().unwrap_or(u64::MAX) >> 32).unwrap_or(u32::MAX);
        let wait = certain + (ceiling - certain).mul_f64(f64::from(chance) / f64::from(u32::MAX));
        wait.max(asked_for.unwrap_or_default())
    }
}

impl CallError {
    /// Retry delay requested by the peer.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether the peer is busy: it did not process the request and asks for a retry.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Refused { status: 429, .. } | Self::Refused { status: 503, retry_after: Some(_), .. })
    }

    /// Whether the peer refused the request and a retry is pointless.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. }) && !self.is_busy() && !self.may_have_taken_effect()
    }

    /// Whether the request may have taken effect without a usable reply.
    pub(crate) fn may_have_taken_effect(&self) -> bool {
        match self {
            Self::ConnectionLost(_) | Self::InvalidReply(_) => true,
            // Replies of an intermediary, such as a gateway.
            Self::Refused { status: 502..=504, .. } => !self.is_busy(),
            Self::Refused { .. } | Self::NotSent(_) | Self::Forbidden(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_to_a_limit_and_honors_retry_after() {
        let mut backoff = Backoff::polling();
        for (low, high) in [(250, 500), (500, 1000), (1000, 2000), (2000, 4000), (4000, 8000), (7500, 15_000)] {
            let wait = backoff.next(None).as_millis();
            assert!((low..=high).contains(&wait), "{wait} is not in {low}..={high}");
        }
        assert!((7500..=15_000).contains(&backoff.next(None).as_millis()));
        assert_eq!(backoff.next(Some(Duration::from_secs(60))), Duration::from_secs(60));
        backoff.reset();
        assert!(backoff.next(None) <= Duration::from_millis(500));
    }
}
