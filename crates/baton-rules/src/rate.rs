//! Token-bucket rate limiting.

use std::time::Duration;

const SECOND: u128 = 1_000_000_000;

/// Rate limit with burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Sustained requests per second; 0 counts as 1.
    pub per_second: u32,
    /// Maximum burst after an idle period; 0 counts as 1.
    pub burst: u32,
}

impl RateLimit {
    /// Nanoseconds per request.
    fn interval(self) -> u128 {
        SECOND / u128::from(self.per_second.max(1))
    }

    /// Nanoseconds until an empty bucket is full.
    fn depth(self) -> u128 {
        self.interval() * u128::from(self.burst.max(1))
    }
}

/// Token bucket of one client; full when new.
///
/// Times are durations since a fixed start; they must not decrease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenBucket {
    /// Time in nanoseconds at which it is full again.
    full_at: u128,
}

impl TokenBucket {
    /// Bucket after one more request, or the delay until the next request is allowed.
    pub fn take(self, limit: RateLimit, now: Duration) -> Result<Self, Duration> {
        let now = now.as_nanos();
        let full_at = self.full_at.max(now) + limit.interval();
        match full_at.saturating_sub(now).checked_sub(limit.depth()) {
            None | Some(0) => Ok(Self { full_at }),
            Some(wait) => Err(Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX))),
        }
    }

    /// Whether it can be evicted: a new bucket is equivalent.
    pub fn is_full(self, now: Duration) -> bool {
        self.full_at <= now.as_nanos()
    }

    /// Time at which it is full again.
    pub fn full_at(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.full_at).unwrap_or(u64::MAX))
    }
}
