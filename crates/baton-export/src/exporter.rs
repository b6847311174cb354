//! All targets at work.

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
use baton_spans::{EmbeddedSpans, Hold};
use baton_telemetry::Meters;
use baton_types::SpanResource;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinHandle;

/// What is sent where.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// To whom.
    pub targets: Vec<ExportTarget>,
    /// Whether they may see what models and tools read and wrote, unless they say otherwise themselves.
    pub content: bool,
    /// Most bytes of the log that are held for targets that do not take them.
    pub held_bytes: u64,
    /// How often meters are read for those who are sent what they show.
    pub meter_interval: Duration,
    /// How soon, and how often again.
    pub pace: Pace,
}

/// How soon things are sent, and how often again.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// What has just come waits this long for more.
    pub gather: Duration,
    /// The first pause when something cannot be sent; it doubles with every further one.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
    /// The longest pause for a target that nobody named.
    pub longest_assumed: Duration,
    /// How long something that goes wrong at the other side is tried before what was sent is taken to be the reason.
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
    /// What the span store has to hold for these targets; its options need it.
    pub fn hold(&self) -> Hold {
        let readers = self.targets.iter().filter(|target| target.route(Signal::Traces).is_some());
        let named = self.targets.iter().any(|target| !target.assumed);
        Hold {
            readers: readers.map(|target| target.name.clone()).collect(),
            bytes: if named { self.held_bytes } else { 0 },
        }
    }

    fn routes(&self, signal: Signal) -> impl Iterator<Item = (&ExportTarget, &Route)> {
        self.targets.iter().filter_map(move |target| Some((target, target.route(signal)?)))
    }
}

/// Sends in the background what the store keeps.
pub struct Exporter {
    ending: Ending,
    counts: ExportCounts,
    tasks: Vec<JoinHandle<()>>,
}

impl Exporter {
    /// Begins to send spans; the store must have been opened with [`ExportOptions::hold`]. Needs a running tokio.
    pub fn start(store: &EmbeddedSpans, options: &ExportOptions) -> Self {
        let ending = Ending::default();
        let (mut counts, mut tasks) = (Vec::new(), Vec::new());
        for target in &options.targets {
            let Some((route, outgoing)) = target.route(Signal::Traces).zip(store.outgoing(&target.name)) else {
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

    /// Sends what these meters show, too; the clock tells nanoseconds since the Unix epoch.
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

    /// Sends these lines of the log, too, as lines of that resource; without anybody who wants them, the queue is closed.
    #[must_use]
    pub fn with_logs(mut self, options: &ExportOptions, lines: &LogQueue, resource: &Arc<SpanResource>) -> Self {
        // All readers are there before the first of them can end, which may close the queue.
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

    /// How it goes.
    pub fn counts(&self) -> ExportCounts {
        self.counts.clone()
    }

    /// Sends what is left as long as that takes no longer than this, and ends. The log keeps spans that were not sent.
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
