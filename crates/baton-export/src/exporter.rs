//! Exporter with the tasks of all targets.

use crate::{
    ExportCounts, ExportTarget, LogQueue, Route, Signal,
    counts::TargetCounters,
    logs::LogExporter,
    meters::MetricsExporter,
    retry_budget::RetryBudget,
    sender::OtlpSender,
    signal_exporter::SignalExporter,
    span_feed::SpanFeedReader,
    spans::{ShutdownSignals, SpanExporter},
};
use baton_meters::Meters;
use baton_span_ports::SpanStore as _;
use baton_spans::{EmbeddedSpanStore, LogRetentionOptions};
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
    pub max_retained_bytes: u64,
    /// Interval of metrics exports.
    pub metrics_interval: Duration,
    /// Delays and retry limits.
    pub timing: ExportTiming,
}

/// Delays and retry limits of exports.
#[derive(Clone, Copy, Debug)]
pub struct ExportTiming {
    /// Delay for collecting a batch after the first item.
    pub batch_delay: Duration,
    /// Delay before the first retry; it doubles with each further retry.
    pub retry_delay: Duration,
    /// Maximum retry delay.
    pub max_retry_delay: Duration,
    /// Maximum retry delay of the default target.
    pub max_default_retry_delay: Duration,
    /// Time limit for retrying after server errors, before the payload is assumed to be the cause and skipped.
    pub retry_budget: Duration,
}

impl Default for ExportTiming {
    fn default() -> Self {
        Self {
            batch_delay: Duration::from_secs(1),
            retry_delay: Duration::from_millis(500),
            max_retry_delay: Duration::from_secs(30),
            max_default_retry_delay: Duration::from_secs(5 * 60),
            retry_budget: Duration::from_secs(5 * 60),
        }
    }
}

impl ExportOptions {
    /// Log retention that the span store needs for these targets; part of its options.
    pub fn log_retention(&self) -> LogRetentionOptions {
        let readers = self.targets.iter().filter(|target| target.route(Signal::Traces).is_some());
        let named = self.targets.iter().any(|target| !target.is_default);
        LogRetentionOptions {
            readers: readers.map(|target| target.name.clone()).collect(),
            bytes: if named { self.max_retained_bytes } else { 0 },
        }
    }

    fn routes(&self, signal: Signal) -> impl Iterator<Item = (&ExportTarget, &Route)> {
        self.targets.iter().filter_map(move |target| Some((target, target.route(signal)?)))
    }
}

/// Exports telemetry in background tasks.
pub struct Exporter {
    shutdown: ShutdownSignals,
    counts: ExportCounts,
    tasks: Vec<JoinHandle<()>>,
}

impl Exporter {
    /// Starts exporting spans; the store must be opened with [`ExportOptions::log_retention`]. Requires a tokio
    /// runtime.
    pub fn start(store: &EmbeddedSpanStore, options: &ExportOptions) -> Self {
        let shutdown = ShutdownSignals::default();
        let (mut counts, mut tasks) = (Vec::new(), Vec::new());
        for target in &options.targets {
            let Some(route) = target.route(Signal::Traces) else { continue };
            let outgoing = store.log_reader(&target.name);
            // A store in memory has no log. Its spans are not sent to an assumed target.
            if outgoing.is_none() && target.is_default {
                continue;
            }
            let count = TargetCounters::new(&target.name, Signal::Traces);
            counts.push(Arc::clone(&count));
            let new_sender = if target.is_default { OtlpSender::with_probe } else { OtlpSender::new };
            let sender = new_sender(Signal::Traces, route.clone());
            let spans = SpanExporter::new(target, sender, options.content, options.timing, shutdown.clone(), count);
            tasks.push(match outgoing {
                Some(outgoing) => tokio::spawn(spans.run(outgoing)),
                None => tokio::spawn(spans.run_feed(SpanFeedReader::new(store.subscribe()))),
            });
        }
        Self { shutdown, counts: ExportCounts::from_counters(counts), tasks }
    }

    /// Also exports these metrics; `now` returns nanoseconds since the Unix epoch.
    #[must_use]
    pub fn with_meters(mut self, options: &ExportOptions, meters: &Arc<Meters>, now: fn() -> u64) -> Self {
        for (target, route) in options.routes(Signal::Metrics) {
            let carrier = SignalExporter::new(
                target,
                (Signal::Metrics, "metrics"),
                route,
                &options.timing,
                self.shutdown.clone(),
            );
            self.counts.add(Arc::clone(carrier.count()));
            let (meters, every) = (Arc::clone(meters), options.metrics_interval);
            self.tasks.push(tokio::spawn(MetricsExporter { exporter: carrier, meters, now, interval: every }.run()));
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
            let exporter =
                SignalExporter::new(target, (Signal::Logs, "log lines"), route, &options.timing, self.shutdown.clone());
            self.counts.add(Arc::clone(exporter.count()));
            let log_exporter = LogExporter {
                exporter,
                resource: Arc::clone(resource),
                timing: options.timing,
                retry_budget: RetryBudget::new(options.timing.retry_budget),
            };
            self.tasks.push(tokio::spawn(log_exporter.run(reader)));
        }
        self
    }

    /// Export counters and states.
    pub fn counts(&self) -> ExportCounts {
        self.counts.clone()
    }

    /// Sends the remaining data for at most `limit` and shuts down. Unsent spans stay in the log.
    pub async fn close(self, limit: Duration) {
        self.shutdown.finish.cancel();
        let deadline = tokio::time::Instant::now() + limit;
        for task in self.tasks {
            let mut task = task;
            if tokio::time::timeout_at(deadline, &mut task).await.is_err() {
                self.shutdown.abandon.cancel();
                let _ = task.await;
            }
        }
    }
}
