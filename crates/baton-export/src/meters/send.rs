//! Metrics exporter of one target.

use super::pieces::{series_count, split};
use crate::{
    sender::ExportOutcome,
    signal_exporter::{SignalExportShutdown, SignalExporter},
};
use baton_meters::Meters;
use baton_otlp::write_metrics;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Maximum number of series per request: a series has at most about 1 KiB, and gRPC receivers accept 4 MiB by default.
const MAX_BATCH_SERIES: usize = 1024;

/// Reads metrics and sends them to one target.
pub(crate) struct MetricsExporter {
    pub(crate) exporter: SignalExporter,
    pub(crate) meters: Arc<Meters>,
    /// Clock, in nanoseconds since the Unix epoch.
    pub(crate) now: fn() -> u64,
    pub(crate) interval: Duration,
}

impl MetricsExporter {
    /// Exports at the interval and once at shutdown.
    pub(crate) async fn run(mut self) {
        let finish = self.exporter.shutdown().finish.clone();
        let mut pause = self.interval;
        loop {
            let due = Instant::now() + pause;
            let last = tokio::time::timeout_at(due, finish.cancelled()).await.is_ok();
            match self.export_once().await {
                Err(SignalExportShutdown) => return,
                Ok(_) if last => return,
                Ok(again) => pause = again.unwrap_or(self.interval),
            }
        }
    }

    /// Reads and sends the metrics; returns the delay before the next attempt if sending failed.
    async fn export_once(&mut self) -> Result<Option<Duration>, SignalExportShutdown> {
        // Probes first: reading metrics may query the journal.
        if let Some(pause) = self.exporter.probe().await {
            return Ok(Some(pause));
        }
        let reading = self.meters.read((self.now)()).await;
        let mut pieces = VecDeque::from([(reading, MAX_BATCH_SERIES)]);
        while let Some((piece, max_points)) = pieces.pop_front() {
            let (piece, rest) = split(piece, max_points);
            pieces.extend(rest.map(|rest| (rest, MAX_BATCH_SERIES)));
            let count = series_count(&piece);
            if count == 0 {
                continue;
            }
            let (piece, packed) = self.exporter.encode(piece, write_metrics).await;
            let delivery = self.exporter.send(&packed).await?;
            let pause = self.exporter.retry_delay(&delivery);
            match delivery {
                ExportOutcome::Exhausted(_) if count > 1 => {
                    self.exporter.wait(pause.unwrap_or_default()).await?;
                    pieces.push_front((piece, count / 2));
                }
                ExportOutcome::RetryLater { .. }
                | ExportOutcome::ServerError(_)
                | ExportOutcome::Misconfigured(_)
                | ExportOutcome::Exhausted(_) => {
                    return Ok(pause);
                }
                ExportOutcome::Accepted { rejected, message } => {
                    self.exporter.record_accepted(count, rejected, &message);
                }
                ExportOutcome::TooLarge(_) if count > 1 => pieces.push_front((piece, count / 2)),
                ExportOutcome::TooLarge(reason) | ExportOutcome::Rejected(reason) => {
                    self.exporter.record_rejected(count, &reason);
                }
            }
        }
        Ok(None)
    }
}
