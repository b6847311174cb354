//! Exporter with the tasks of all targets.

use crate::{
    ExportCounts, ExportTarget, LogQueue, Route, Signal,
    carrier::Carrier,
    counts::Count,
    courier::Courier,
    logs::LogCourier,
    meters::MeterCourier,
    patience::Patience,
    spans::{Ending, SpanCourier},
};
use baton_spans::{EmbeddedSpanStore, LogRetentionOptions};
use baton_telemetry::Meters;
use baton_types::SpanResource;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinHandle;

/// Options of the exporter.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Export targets.
    pub targets: Vec<ExportTarget>,
    /// Default for exporting content of models and tools; a target may override it.
    pub content: bool,
    /// Maximum size of the log retained for unavailable targets, in bytes.
    pub held_bytes: u64,
    /// Interval of metrics exports.
    pub meter_interval: Duration,
    /// Delays and retry limits.
    pub pace: Pace,
}

/// Delays and retry limits of exports.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Delay for collecting a batch after the first item.
    pub gather: Duration,
    /// Delay before the first retry; it doubles with each further retry.
    pub first: Duration,
    /// Maximum retry delay.
    pub longest: Duration,
    /// Maximum retry delay of the default target.
    pub longest_assumed: Duration,
    /// Time limit for retrying after server errors, before the payload is assumed to be the cause and skipped.
    pub patience: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            gather: Duration::from_secs(1),
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
            longest_assumed: Duration::from_secs(5 * 60),
            patience: Duration::from_secs(5 * 60),
        }
    }
}

impl ExportOptions {
    /// Log retention that the span store needs for these targets; part of its options.
    pub fn hold(&self) -> LogRetentionOptions {
        let readers = self.targets.iter().filter(|target| target.route(Signal::Traces).is_some());
        let named = self.targets.iter().any(|target| !target.assumed);
        LogRetentionOptions {
            readers: readers.map(|target| target.name.clone()).collect(),
            bytes: if named { self.held_bytes } else { 0 },
        }
    }

    fn routes(&self, signal: Signal) -> impl Iterator<Item = (&ExportTarget, &Route)> {
        self.targets.iter().filter_map(move |target| Some((target, target.route(signal)?)))
    }
}

/// Exports telemetry in background tasks.
pub struct Exporter {
    ending: Ending,
    counts: ExportCounts,
    tasks: Vec<JoinHandle<()>>,
}

impl Exporter {
    /// Starts exporting spans; the store must be opened with [`ExportOptions::hold`]. Requires a tokio runtime.
    pub fn start(store: &EmbeddedSpanStore, options: &ExportOptions) -> Self {
        let ending = Ending::default();
        let (mut counts, mut tasks) = (Vec::new(), Vec::new());
        for target in &options.targets {
            let Some((route, outgoing)) = target.route(Signal::Traces).zip(store.log_reader(&target.name)) else {
                continue;
            };
            let count = Count::new(&target.name, Signal::Traces);
            counts.push(Arc::clone(&count));
            let courier = if target.assumed { Courier::knocking } else { Courier::new };
            let courier = courier(Signal::Traces, route.clone());
            let spans = SpanCourier::new(target, courier, options.content, options.pace, ending.clone(), count);
            tasks.push(tokio::spawn(spans.run(outgoing)));
        }
        Self { ending, counts: ExportCounts::of(counts), tasks }
    }

    /// Also exports these metrics; `now` returns nanoseconds since the Unix epoch.
    #[must_use]
    pub fn with_meters(mut self, options: &ExportOptions, meters: &Arc<Meters>, now: fn() -> u64) -> Self {
        for (target, route) in options.routes(Signal::Metrics) {
            let carrier = Carrier::new(target, (Signal::Metrics, "metrics"), route, &options.pace, self.ending.clone());
            self.counts.add(Arc::clone(carrier.count()));
            let (meters, every) = (Arc::clone(meters), options.meter_interval);
            self.tasks.push(tokio::spawn(MeterCourier { carrier, meters, now, every }.run()));
        }
        self
    }

    /// Also exports these log lines, with this resource; the queue is closed if no target exports logs.
    #[must_use]
    pub fn with_logs(mut self, options: &ExportOptions, lines: &LogQueue, resource: &Arc<SpanResource>) -> Self {
        // All readers must exist before the first can end, because the last one to end closes the queue.
        let readers: Vec<_> = options.routes(Signal::Logs).map(|route| (route, lines.reader())).collect();
        if readers.is_empty() {
            lines.close();
        }
        for ((target, route), reader) in readers {
            let carrier = Carrier::new(target, (Signal::Logs, "log lines"), route, &options.pace, self.ending.clone());
            self.counts.add(Arc::clone(carrier.count()));
            let courier = LogCourier {
                carrier,
                resource: Arc::clone(resource),
                pace: options.pace,
                patience: Patience::new(options.pace.patience),
            };
            self.tasks.push(tokio::spawn(courier.run(reader)));
        }
        self
    }

    /// Export counters and states.
    pub fn counts(&self) -> ExportCounts {
        self.counts.clone()
    }

    /// Sends the remaining data for at most `limit` and shuts down. Unsent spans stay in the log.
    pub async fn close(self, limit: Duration) {
        self.ending.finish.cancel();
        let deadline = tokio::time::Instant::now() + limit;
        for task in self.tasks {
            let mut task = task;
            if tokio::time::timeout_at(deadline, &mut task).await.is_err() {
                self.ending.abandon.cancel();
                let _ = task.await;
            }
        }
    }
}
