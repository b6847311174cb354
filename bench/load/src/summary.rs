//! What a measurement saw.

use crate::options::{Limit, Options};
use serde_json::json;
use std::time::Duration;

/// Errors that are kept as examples.
const EXAMPLES: usize = 3;

/// After this many errors without one success there is nothing to measure.
const HOPELESS: u64 = 50;

/// Counts and latencies of one measurement.
#[derive(Clone)]
pub struct Summary {
    /// Replies that were right and count.
    pub requests: u64,
    served: u64,
    /// Replies that were wrong, and broken connections.
    pub errors: u64,
    /// The first few errors.
    pub examples: Vec<String>,
    events: u64,
    micros: Vec<u32>,
    measured: Option<Duration>,
    seconds: f64,
}

impl Summary {
    /// Nothing seen yet.
    pub fn new(options: &Options) -> Self {
        let measured = match options.limit {
            Limit::Count(_) => None,
            Limit::Time { measured, .. } => Some(measured),
        };
        Self {
            requests: 0,
            served: 0,
            errors: 0,
            examples: Vec::new(),
            events: 0,
            micros: Vec::new(),
            measured,
            seconds: 0.0,
        }
    }

    /// A right reply, whether it counts or not.
    pub fn served(&mut self) {
        self.served += 1;
    }

    /// A right reply that counts.
    pub fn success(&mut self, latency: Duration, events: u64) {
        self.requests += 1;
        self.events += events;
        self.micros.push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    /// A wrong one.
    pub fn error(&mut self, what: &str) {
        self.errors += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(what.to_owned());
        }
    }

    /// Whether going on makes no sense.
    pub fn hopeless(&self) -> bool {
        self.requests == 0 && self.errors >= HOPELESS
    }

    /// Closes the books.
    pub fn finish(&mut self, elapsed: Duration) {
        self.seconds = self.measured.unwrap_or(elapsed).as_secs_f64();
        self.micros.sort_unstable();
    }

    /// One line for the script that asked.
    pub fn to_json(&self) -> String {
        json!({
            "requests": self.requests,
            "served": self.served,
            "errors": self.errors,
            "events": self.events,
            "seconds": self.seconds,
            "per_second": self.requests as f64 / self.seconds.max(f64::EPSILON),
            "p50_us": self.percentile(50),
            "p99_us": self.percentile(99),
        })
        .to_string()
    }

    fn percentile(&self, percent: usize) -> u32 {
        let at = (self.micros.len() * percent / 100).min(self.micros.len().saturating_sub(1));
        self.micros.get(at).copied().unwrap_or(0)
    }
}
