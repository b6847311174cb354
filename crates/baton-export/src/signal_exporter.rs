//! Exporter of a signal without storage on disk, for one target.

use crate::{
    ExportTarget, ExportTiming, Route, Signal,
    counts::TargetCounters,
    health::TargetHealth,
    request_body::{self, ExportRequestBody},
    sender::{ExportOutcome, OtlpSender},
    spans::ShutdownSignals,
};
use baton_otlp::Encoding;
use std::{sync::Arc, time::Duration};

/// Shutdown before everything was sent.
pub(crate) struct SignalExportShutdown;

/// Sends one signal to one target.
pub(crate) struct SignalExporter {
    signal: Signal,
    sender: OtlpSender,
    health: TargetHealth,
    shutdown: ShutdownSignals,
    count: Arc<TargetCounters>,
}

impl SignalExporter {
    /// `items` is the display name of the exported items.
    pub(crate) fn new(
        target: &ExportTarget,
        (signal, items): (Signal, &'static str),
        route: &Route,
        pace: &ExportTiming,
        shutdown: ShutdownSignals,
    ) -> Self {
        let count = TargetCounters::new(&target.name, signal);
        let new_sender = if target.is_default { OtlpSender::with_probe } else { OtlpSender::new };
        Self {
            signal,
            sender: new_sender(signal, route.clone()),
            health: TargetHealth::new(target, route, items, pace, Arc::clone(&count)),
            shutdown,
            count,
        }
    }

    /// Shutdown signals.
    pub(crate) fn shutdown(&self) -> &ShutdownSignals {
        &self.shutdown
    }

    /// Counters of this signal and target.
    pub(crate) fn count(&self) -> &Arc<TargetCounters> {
        &self.count
    }

    /// Probes a default target; returns the retry delay if no receiver listens.
    pub(crate) async fn probe(&mut self) -> Option<Duration> {
        let reason = self.sender.probe().await.err()?;
        Some(self.health.mark_unreachable(&reason, None))
    }

    /// Encodes, compresses and frames a message on a blocking thread.
    pub(crate) async fn encode<T: Send + 'static>(
        &self,
        items: T,
        write: impl FnOnce(&T, Encoding) -> Vec<u8> + Send + 'static,
    ) -> (T, ExportRequestBody) {
        let (protocol, compression) = (self.sender.route().protocol, self.sender.route().compression);
        let packing = tokio::task::spawn_blocking(move || {
            let message = write(&items, request_body::encoding(protocol));
            (items, request_body::encode_body(message, protocol, compression))
        });
        match packing.await {
            Ok(packed) => packed,
            // The task can only fail by a panic, which loses the message.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, packed: &ExportRequestBody) -> Result<ExportOutcome, SignalExportShutdown> {
        tokio::select! {
            delivery = self.sender.send(packed) => Ok(delivery),
            () = self.shutdown.abandon.cancelled() => Err(SignalExportShutdown),
        }
    }

    /// Delay before the next attempt; `None` if the target accepted or rejected the request.
    pub(crate) fn retry_delay(&mut self, delivery: &ExportOutcome) -> Option<Duration> {
        match delivery {
            ExportOutcome::RetryLater { after, reason } => Some(self.health.mark_unreachable(reason, *after)),
            ExportOutcome::ServerError(reason) | ExportOutcome::Exhausted(reason) => {
                Some(self.health.mark_unreachable(reason, None))
            }
            ExportOutcome::Misconfigured(reason) => {
                let variable = self.signal.as_str().to_ascii_uppercase();
                let otherwise =
                    format!("to disable this signal, set OTEL_{variable}_EXPORTER=none or the target's `signals`");
                Some(self.health.mark_blocked(&format!("{reason}; {otherwise}")))
            }
            ExportOutcome::Accepted { .. } | ExportOutcome::TooLarge(_) | ExportOutcome::Rejected(_) => {
                self.health.mark_healthy();
                None
            }
        }
    }

    /// Waits. Shutdown ends the wait: unsent items are not stored.
    pub(crate) async fn wait(&self, pause: Duration) -> Result<(), SignalExportShutdown> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.shutdown.finish.cancelled() => Err(SignalExportShutdown),
        }
    }

    /// Records accepted items, except the rejected ones.
    pub(crate) fn record_accepted(&mut self, items: usize, rejected: u64, message: &str) {
        let rejected = usize::try_from(rejected).unwrap_or(usize::MAX).min(items);
        self.count.add_sent(items - rejected);
        match rejected {
            0 => self.health.mark_accepted(),
            rejected => self.record_rejected(rejected, message),
        }
    }

    /// Records permanently rejected items.
    pub(crate) fn record_rejected(&mut self, items: usize, reason: &str) {
        self.count.add_failed(items);
        self.health.log_skipped(items, reason);
    }
}
