//! Retry delays.

use crate::CallError;
use baton_types::{Backoff, BackoffPolicy, Jitter};
use std::time::Duration;

/// Reconnects, with full jitter.
pub(crate) const RECONNECTS: BackoffPolicy =
    BackoffPolicy::new(Duration::from_millis(100), Duration::from_secs(10)).with_jitter(0, 100);

/// Polls of a task, with a random second half.
pub(crate) const POLLS: BackoffPolicy =
    BackoffPolicy::new(Duration::from_millis(500), Duration::from_secs(15)).with_jitter(50, 100);

/// The next delay; at least the delay requested by the peer.
pub(crate) fn next_delay(backoff: &mut Backoff, requested: Option<Duration>) -> Duration {
    let jitter = Jitter::from_bits(getrandom::u64().unwrap_or(u64::MAX));
    backoff.next_jittered(jitter).max(requested.unwrap_or_default())
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
        let mut backoff = Backoff::new(POLLS);
        for (low, high) in [(250, 500), (500, 1000), (1000, 2000), (2000, 4000), (4000, 8000), (7500, 15_000)] {
            let wait = next_delay(&mut backoff, None).as_millis();
            assert!((low..=high).contains(&wait), "{wait} is not in {low}..={high}");
        }
        assert!((7500..=15_000).contains(&next_delay(&mut backoff, None).as_millis()));
        assert_eq!(next_delay(&mut backoff, Some(Duration::from_secs(60))), Duration::from_secs(60));
        backoff.reset();
        assert!(next_delay(&mut backoff, None) <= Duration::from_millis(500));
    }
}
