//! Rate limiting by key, with a bounded number of tracked keys.

use super::Caller;
use baton_rules::{RateLimit, TokenBucket};
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Maximum number of callers or addresses tracked for rate limits.
pub(super) const MAX_TRACKED_KEYS: usize = 65_536;

/// Request rate limits by principal, independent of the credentials used.
pub struct PrincipalRateLimiter(KeyedRateLimiter<(Arc<str>, Arc<str>)>);

impl PrincipalRateLimiter {
    /// The same limit for every principal.
    pub fn new(limit: RateLimit) -> Self {
        Self(KeyedRateLimiter::new(limit, MAX_TRACKED_KEYS))
    }

    /// Takes a request from the caller's budget; the error is the time until the next is allowed.
    pub fn take(&self, caller: &Caller) -> Result<(), Duration> {
        let principal = caller.principal();
        self.0.take((Arc::clone(&principal.tenant), Arc::clone(&principal.subject)))
    }
}

/// One token bucket per key.
pub(super) struct KeyedRateLimiter<K> {
    limit: RateLimit,
    max_keys: usize,
    origin: Instant,
    buckets: Mutex<HashMap<K, TokenBucket>>,
}

impl<K: Hash + Eq> KeyedRateLimiter<K> {
    /// Tracks at most `most` keys.
    pub(super) fn new(limit: RateLimit, max_keys: usize) -> Self {
        Self { limit, max_keys: max_keys.max(1), origin: Instant::now(), buckets: Mutex::default() }
    }

    /// Takes one from the budget of the key; the error is the time until the next is allowed.
    pub(super) fn take(&self, key: K) -> Result<(), Duration> {
        let now = self.origin.elapsed();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(&key) {
            *bucket = bucket.take(self.limit, now)?;
            return Ok(());
        }
        if buckets.len() >= self.max_keys {
            evict(&mut buckets, self.max_keys, now);
        }
        buckets.insert(key, TokenBucket::default().take(self.limit, now)?);
        Ok(())
    }
}

/// Evicts buckets: first the full ones, which carry no state; if that is not enough, the half that is closest to full.
fn evict<K: Hash + Eq>(buckets: &mut HashMap<K, TokenBucket>, max_keys: usize, now: Duration) {
    buckets.retain(|_, bucket| !bucket.is_full(now));
    if buckets.len() < max_keys {
        return;
    }
    let mut full_at: Vec<Duration> = buckets.values().map(|bucket| bucket.full_at()).collect();
    let (_, middle, _) = full_at.select_nth_unstable((max_keys - 1) / 2);
    let middle = *middle;
    buckets.retain(|_, bucket| bucket.full_at() > middle);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn least_used_buckets_are_evicted_first() {
        let limits = KeyedRateLimiter::new(RateLimit { per_second: 1, burst: 3 }, 4);
        let take = |key: &'static str| limits.take(key).is_ok();
        assert!(take("full again"));
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..3 {
            assert!(take("busy") && take("also busy"));
        }
        assert!(take("once"));
        // There is no room for a fifth bucket, so the full one is evicted.
        assert!(take("another"));
        assert!(!take("busy") && !take("also busy"));
        // No bucket is full, so the least used ones are evicted.
        assert!(take("last"));
        assert!(!take("busy") && !take("also busy"));
        let known = limits.buckets.lock().unwrap().len();
        assert_eq!(known, 3);
        // The number of buckets never exceeds the limit.
        for key in ["a", "b", "c", "d", "e", "f", "g"] {
            let _ = limits.take(key);
            assert!(limits.buckets.lock().unwrap().len() <= 4, "{key}");
        }
    }
}
