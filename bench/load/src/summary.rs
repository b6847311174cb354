//! Results of a measurement.

use crate::{
    connection::ExchangeOutcome,
    options::{LoadLimit, LoadOptions},
};
use serde_json::json;
use std::time::Duration;

/// Upper bound of stored error messages.
const MAX_EXAMPLES: usize = 3;

/// Number of errors without a success after which the measurement stops.
const MAX_INITIAL_ERRORS: u64 = 50;

/// Counts and latencies of one measurement.
#[derive(Clone)]
pub struct LoadSummary {
    /// Correct replies within the measured time.
    pub requests: u64,
    served: u64,
    /// Wrong replies and broken connections.
    pub errors: u64,
    /// The first few errors.
    pub examples: Vec<String>,
    events: u64,
    latencies: DurationSamples,
    first_events: DurationSamples,
    late: DurationSamples,
    measured: Option<Duration>,
    seconds: f64,
}

impl LoadSummary {
    /// An empty summary.
    pub fn new(options: &LoadOptions) -> Self {
        let measured = match options.limit {
            LoadLimit::Count(_) => None,
            LoadLimit::Time { measured, .. } => Some(measured),
        };
        Self {
            requests: 0,
            served: 0,
            errors: 0,
            examples: Vec::new(),
            events: 0,
            latencies: DurationSamples::default(),
            first_events: DurationSamples::default(),
            late: DurationSamples::default(),
            measured,
            seconds: 0.0,
        }
    }

    /// Counts a correct reply, measured or not.
    pub fn served(&mut self) {
        self.served += 1;
    }

    /// Counts a correct reply within the measured time.
    pub fn success(&mut self, latency: Duration, outcome: &ExchangeOutcome) {
        self.requests += 1;
        self.events += outcome.events;
        self.latencies.add(latency);
        if let Some(first_event) = outcome.first_event {
            self.first_events.add(first_event);
        }
    }

    /// Records the delay between the scheduled and the actual time of a request.
    pub fn late(&mut self, by: Duration) {
        self.late.add(by);
    }

    /// Counts an error.
    pub fn error(&mut self, what: &str) {
        self.errors += 1;
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(what.to_owned());
        }
    }

    /// Whether the measurement should stop because the server returns only errors.
    pub fn has_only_errors(&self) -> bool {
        self.requests == 0 && self.errors >= MAX_INITIAL_ERRORS
    }

    /// Sorts the durations and sets the measured time.
    pub fn finish(&mut self, elapsed: Duration) {
        self.seconds = self.measured.unwrap_or(elapsed).as_secs_f64();
        for durations in [&mut self.latencies, &mut self.first_events, &mut self.late] {
            durations.micros.sort_unstable();
        }
    }

    /// The results as one line of JSON.
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

/// Durations in microseconds, sorted at the end.
#[derive(Clone, Default)]
struct DurationSamples {
    micros: Vec<u32>,
}

impl DurationSamples {
    fn add(&mut self, duration: Duration) {
        self.micros.push(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX));
    }

    fn permille(&self, permille: usize) -> u32 {
        let at = (self.micros.len() * permille / 1000).min(self.micros.len().saturating_sub(1));
        self.micros.get(at).copied().unwrap_or(0)
    }
}
