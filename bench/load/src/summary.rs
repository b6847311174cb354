//! What a measurement saw.

use crate::{
    connection::Outcome,
    options::{Limit, Options},
};
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
    latencies: Durations,
    first_events: Durations,
    late: Durations,
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
            latencies: Durations::default(),
            first_events: Durations::default(),
            late: Durations::default(),
            measured,
            seconds: 0.0,
        }
    }

    /// A right reply, whether it counts or not.
    pub fn served(&mut self) {
        self.served += 1;
    }

    /// A right reply that counts.
    pub fn success(&mut self, latency: Duration, outcome: &Outcome) {
        self.requests += 1;
        self.events += outcome.events;
        self.latencies.add(latency);
        if let Some(first_event) = outcome.first_event {
            self.first_events.add(first_event);
        }
    }

    /// How long after the moment at which it was due a request could be sent.
    pub fn late(&mut self, by: Duration) {
        self.late.add(by);
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
        for durations in [&mut self.latencies, &mut self.first_events, &mut self.late] {
            durations.micros.sort_unstable();
        }
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
            "p50_us": self.latencies.permille(500),
            "p99_us": self.latencies.permille(990),
            "p999_us": self.latencies.permille(999),
            "max_us": self.latencies.permille(1000),
            "first_event_p50_us": self.first_events.permille(500),
            "first_event_p99_us": self.first_events.permille(990),
            "late_p50_us": self.late.permille(500),
            "late_p99_us": self.late.permille(990),
        })
        .to_string()
    }
}

/// In microseconds, sorted at the end.
#[derive(Clone, Default)]
struct Durations {
    micros: Vec<u32>,
}

impl Durations {
    fn add(&mut self, duration: Duration) {
        self.micros.push(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX));
    }

    fn permille(&self, permille: usize) -> u32 {
        let at = (self.micros.len() * permille / 1000).min(self.micros.len().saturating_sub(1));
        self.micros.get(at).copied().unwrap_or(0)
    }
}
