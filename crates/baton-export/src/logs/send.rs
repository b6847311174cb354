//! Log exporter of one target: sends queued lines in order until they are accepted or dropped.

use super::queue::LogReader;
use crate::{
    ExportTiming,
    request_body::ExportRequestBody,
    retry_budget::RetryBudget,
    sender::ExportOutcome,
    signal_exporter::{SignalExportShutdown, SignalExporter},
};
use baton_otlp::{LogLine, write_lines};
use baton_types::SpanResource;
use std::{collections::VecDeque, sync::Arc};

/// Maximum number of lines per request.
const MAX_BATCH_LINES: usize = 512;

/// Sends log lines to one target.
pub(crate) struct LogExporter {
    pub(crate) exporter: SignalExporter,
    pub(crate) resource: Arc<SpanResource>,
    pub(crate) timing: ExportTiming,
    pub(crate) retry_budget: RetryBudget,
}

impl LogExporter {
    /// Sends new lines until shutdown.
    pub(crate) async fn run(mut self, mut lines: LogReader) {
        let finish = self.exporter.shutdown().finish.clone();
        loop {
            tokio::select! {
                () = finish.cancelled() => {}
                () = lines.wait_for_lines() => {
                    let _ = tokio::time::timeout(self.timing.batch_delay, finish.cancelled()).await;
                }
            }
            if self.drain(&mut lines).await.is_err() || finish.is_cancelled() {
                return;
            }
        }
    }

    /// Sends all queued lines.
    async fn drain(&mut self, lines: &mut LogReader) -> Result<(), SignalExportShutdown> {
        loop {
            let batch = lines.take(MAX_BATCH_LINES);
            self.exporter.count().set_dropped(lines.dropped_lines());
            self.exporter.count().set_queued_bytes(lines.queued_bytes());
            if batch.is_empty() {
                return Ok(());
            }
            self.send(batch, lines).await?;
        }
    }

    /// Sends lines, split into several requests if necessary.
    async fn send(&mut self, lines: Vec<Arc<LogLine>>, waiting: &LogReader) -> Result<(), SignalExportShutdown> {
        let mut pieces = VecDeque::from([lines]);
        while let Some(piece) = pieces.pop_front() {
            let resource = Arc::clone(&self.resource);
            let written = move |lines: &Vec<Arc<LogLine>>, encoding| write_lines(lines, &resource, encoding);
            let (mut piece, packed) = self.exporter.encode(piece, written).await;
            match self.send_with_retry(&packed, piece.len(), waiting).await? {
                ExportOutcome::Accepted { rejected, message } => {
                    self.retry_budget.reset();
                    self.exporter.record_accepted(piece.len(), rejected, &message);
                }
                ExportOutcome::TooLarge(_) | ExportOutcome::Exhausted(_) if piece.len() > 1 => {
                    let second = piece.split_off(piece.len() / 2);
                    pieces.push_front(second);
                    pieces.push_front(piece);
                }
                ExportOutcome::TooLarge(reason)
                | ExportOutcome::Exhausted(reason)
                | ExportOutcome::Rejected(reason)
                | ExportOutcome::ServerError(reason)
                | ExportOutcome::Misconfigured(reason)
                | ExportOutcome::RetryLater { reason, .. } => self.exporter.record_rejected(piece.len(), &reason),
            }
        }
        Ok(())
    }

    /// Retries until the target accepts or rejects the request; meanwhile the queue fills and drops its oldest lines.
    async fn send_with_retry(
        &mut self,
        packed: &ExportRequestBody,
        lines: usize,
        waiting: &LogReader,
    ) -> Result<ExportOutcome, SignalExportShutdown> {
        self.retry_budget.start_payload();
        loop {
            let delivery = self.exporter.send(packed).await?;
            let Some(pause) = self.exporter.retry_delay(&delivery) else { return Ok(delivery) };
            let again = match &delivery {
                ExportOutcome::Exhausted(_) if lines > 1 => {
                    self.exporter.wait(pause).await?;
                    false
                }
                ExportOutcome::Exhausted(_) | ExportOutcome::ServerError(_) => self.retry_budget.should_retry(),
                _ => true,
            };
            if !again {
                return Ok(delivery);
            }
            self.exporter.wait(pause).await?;
            self.exporter.count().set_dropped(waiting.dropped_lines());
            self.exporter.count().set_queued_bytes(waiting.queued_bytes());
        }
    }
}
