//! Exponential backoff between the attempts of a retry loop.

use std::time::Duration;

/// Random part of a delay, from 0 to 1. It is an argument, so that delays are a pure function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter(f64);

impl Jitter {
    /// Jitter from a random number from 0 to 1; other numbers are moved into this range.
    pub fn from_fraction(fraction: f64) -> Self {
        Self(if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) })
    }

    /// Jitter from random bits.
    #[expect(clippy::cast_precision_loss, reason = "jitter needs no 64 bits")]
    pub fn from_bits(bits: u64) -> Self {
        Self::from_fraction(bits as f64 / u64::MAX as f64)
    }
}

/// Delays of a retry loop: the first one, its growth, its maximum and its jitter, and the number of retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffPolicy {
    first: Duration,
    max: Duration,
    factor: u32,
    /// Bounds of a delay with jitter, in percent of the delay without it.
    jitter: (u32, u32),
    max_retries: u32,
}

impl BackoffPolicy {
    /// Delays that double from `first` to `max`, without jitter and without a limit on retries.
    pub const fn new(first: Duration, max: Duration) -> Self {
        Self { first, max, factor: 2, jitter: (100, 100), max_retries: u32::MAX }
    }

    /// Growth per retry; 1 keeps the first delay.
    #[must_use]
    pub const fn with_factor(self, factor: u32) -> Self {
        Self { factor, ..self }
    }

    /// Bounds of a delay with jitter, in percent of the delay without it. Loops that failed together should have a
    /// jitter, so that they are not repeated together.
    #[must_use]
    pub const fn with_jitter(self, min_percent: u32, max_percent: u32) -> Self {
        Self { jitter: (min_percent, max_percent), ..self }
    }

    /// Maximum number of retries.
    #[must_use]
    pub const fn with_max_retries(self, max_retries: u32) -> Self {
        Self { max_retries, ..self }
    }

    /// Delay before a retry, counted from 0, without jitter.
    pub fn delay(&self, retry: u32) -> Duration {
        let growth = self.factor.saturating_pow(retry);
        self.first.saturating_mul(growth).min(self.max)
    }

    /// Delay before a retry, counted from 0, with jitter.
    pub fn jittered_delay(&self, retry: u32, jitter: Jitter) -> Duration {
        let (min, max) = (f64::from(self.jitter.0) / 100.0, f64::from(self.jitter.1) / 100.0);
        let seconds = self.delay(retry).as_secs_f64() * (min + (max - min) * jitter.0);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// The delays of one retry loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    policy: BackoffPolicy,
    retries: u32,
}

impl Backoff {
    /// Begins with the first delay.
    pub const fn new(policy: BackoffPolicy) -> Self {
        Self { policy, retries: 0 }
    }

    /// The next delay, without jitter.
    pub fn next_delay(&mut self) -> Duration {
        let retry = self.count_retry();
        self.policy.delay(retry)
    }

    /// The next delay, with jitter.
    pub fn next_jittered(&mut self, jitter: Jitter) -> Duration {
        let retry = self.count_retry();
        self.policy.jittered_delay(retry, jitter)
    }

    /// Whether the limit on retries is reached.
    pub fn is_exhausted(&self) -> bool {
        self.retries >= self.policy.max_retries
    }

    /// Begins again with the first delay, after a success.
    pub fn reset(&mut self) {
        self.retries = 0;
    }

    fn count_retry(&mut self) -> u32 {
        let retry = self.retries;
        self.retries = retry.saturating_add(1);
        retry
    }
}
