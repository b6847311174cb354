//! How often somebody may ask.

use std::time::Duration;

const SECOND: u128 = 1_000_000_000;

/// A steady rate, and how much of it may be used at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests per second in the long run; 0 counts as 1.
    pub per_second: u32,
    /// Requests that may come at the same moment after a quiet time; 0 counts as 1.
    pub burst: u32,
}

impl RateLimit {
    /// Nanoseconds in which one request is earned.
    fn interval(self) -> u128 {
        SECOND / u128::from(self.per_second.max(1))
    }

    /// Nanoseconds in which an empty bucket fills.
    fn depth(self) -> u128 {
        self.interval() * u128::from(self.burst.max(1))
    }
}

/// What somebody has left of a limit; a new one is full.
///
/// Moments are given as the time since one that was chosen once; they must not run backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// When it is full again, in nanoseconds.
    full_at: u128,
}

impl Bucket {
    /// The bucket after one more request, or how long until there may be one.
    pub fn take(self, limit: RateLimit, now: Duration) -> Result<Self, Duration> {
        let now = now.as_nanos();
        let full_at = self.full_at.max(now) + limit.interval();
        match full_at.saturating_sub(now).checked_sub(limit.depth()) {
            None | Some(0) => Ok(Self { full_at }),
            Some(wait) => Err(Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX))),
        }
    }

    /// Whether it can be forgotten: a new one would be no different.
    pub fn is_full(self, now: Duration) -> bool {
        self.full_at <= now.as_nanos()
    }

    /// When it is full again.
    pub fn full_at(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.full_at).unwrap_or(u64::MAX))
    }
}
