//! Span exporter of one target: reads the log in order and sends spans until they are accepted.

use crate::{
    ExportTarget, ExportTiming, content,
    counts::TargetCounters,
    health::TargetHealth,
    request_body::{self, ExportRequestBody},
    retry_budget::RetryBudget,
    sender::{ExportOutcome, OtlpSender},
    sent_span_cache::SentSpanCache,
    span_feed::SpanFeedReader,
};
use baton_otlp::write_export;
use baton_span_ports::SpanStoreError;
use baton_spans::{LogPosition, SpanLogBatch, SpanLogReader};
use baton_types::Span;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Approximate limits of one request: gRPC receivers accept 4 MiB by default.
pub(crate) const MAX_BATCH_SPANS: usize = 2048;
const MAX_BATCH_BYTES: usize = 2 << 20;
/// Interval of saving the log position under load.
const POSITION_SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// Shutdown signals: `finish` stops at the end of the log, `abandon` stops immediately.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShutdownSignals {
    pub(crate) finish: CancellationToken,
    pub(crate) abandon: CancellationToken,
}

/// Sends spans to one target.
pub(crate) struct SpanExporter {
    name: String,
    sender: OtlpSender,
    content: bool,
    timing: ExportTiming,
    health: TargetHealth,
    shutdown: ShutdownSignals,
    count: Arc<TargetCounters>,
    sent_spans: SentSpanCache,
    retry_budget: RetryBudget,
    position_saved_at: Option<Instant>,
    /// Whether the current read error of the log was already logged.
    unreadable: bool,
}

/// Shutdown before everything was sent.
struct SpanExportShutdown;

impl SpanExporter {
    pub(crate) fn new(
        target: &ExportTarget,
        sender: OtlpSender,
        content: bool,
        timing: ExportTiming,
        shutdown: ShutdownSignals,
        count: Arc<TargetCounters>,
    ) -> Self {
        Self {
            name: target.name.clone(),
            health: TargetHealth::new(target, sender.route(), "spans", &timing, Arc::clone(&count)),
            sender,
            content: target.content.unwrap_or(content),
            timing,
            shutdown,
            count,
            sent_spans: SentSpanCache::default(),
            retry_budget: RetryBudget::new(timing.retry_budget),
            position_saved_at: None,
            unreadable: false,
        }
    }

    /// Sends new spans until shutdown.
    pub(crate) async fn run(mut self, mut outgoing: SpanLogReader) {
        loop {
            tokio::select! {
                () = self.shutdown.finish.cancelled() => {}
                () = outgoing.wait_for_spans() => {
                    let finish = self.shutdown.finish.cancelled();
                    let _ = tokio::time::timeout(self.timing.batch_delay, finish).await;
                }
            }
            let ended;
            (outgoing, ended) = self.drain(outgoing).await;
            if ended.is_err() || self.shutdown.finish.is_cancelled() {
                return;
            }
        }
    }

    /// Sends new spans of a store in memory until it is closed.
    pub(crate) async fn run_feed(mut self, mut feed: SpanFeedReader) {
        let finish = self.shutdown.finish.clone();
        loop {
            let mut spans = tokio::select! {
                spans = feed.next() => match spans {
                    Some(spans) => spans,
                    None => return,
                },
                () = finish.cancelled() => Vec::new(),
            };
            let _ = tokio::time::timeout(self.timing.batch_delay, finish.cancelled()).await;
            spans.extend(feed.read_buffered());
            self.count.set_dropped(feed.missed());
            if spans.is_empty() && finish.is_cancelled() || self.send(spans, || 0).await.is_err() {
                return;
            }
        }
    }

    /// Sends all spans that are in the log now.
    async fn drain(&mut self, mut outgoing: SpanLogReader) -> (SpanLogReader, Result<(), SpanExportShutdown>) {
        loop {
            let before = outgoing.position();
            let reading = tokio::task::spawn_blocking(move || {
                let read = outgoing.read(MAX_BATCH_SPANS, MAX_BATCH_BYTES);
                (outgoing, read)
            });
            let read;
            (outgoing, read) = match reading.await {
                Ok(read) => read,
                // The task can only fail by a panic, which loses the reader.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            };
            let SpanLogBatch { spans, end: through } = match read {
                Ok(batch) => batch,
                Err(error) => {
                    self.log_read_error(&error);
                    outgoing = self.save_position(outgoing, before).await;
                    return (outgoing, self.wait(self.timing.max_retry_delay).await);
                }
            };
            self.unreadable = false;
            self.count.set_dropped(outgoing.lost());
            let last = spans.is_empty();
            if let Err(ended) = self.send(spans, || outgoing.pending_bytes(before)).await {
                // Saves the position, so that accepted spans are not sent again.
                return (self.save_position(outgoing, before).await, Err(ended));
            }
            if last || self.position_saved_at.is_none_or(|settled| settled.elapsed() >= POSITION_SAVE_INTERVAL) {
                outgoing = self.save_position(outgoing, through).await;
                self.count.set_queued_bytes(outgoing.pending_bytes(through));
            }
            if last {
                return (outgoing, Ok(()));
            }
        }
    }

    /// Logs a read error of the log as a warning once until reading succeeds.
    fn log_read_error(&mut self, error: &SpanStoreError) {
        let target = &self.name;
        if std::mem::replace(&mut self.unreadable, true) {
            tracing::debug!(%error, target, "the span log cannot be read for export");
        } else {
            tracing::warn!(%error, target, "the span log cannot be read for export; retrying");
        }
    }

    async fn save_position(&mut self, outgoing: SpanLogReader, through: LogPosition) -> SpanLogReader {
        let settling = tokio::task::spawn_blocking(move || {
            let settled = outgoing.save_position(through);
            (outgoing, settled)
        });
        let (outgoing, settled) = match settling.await {
            Ok(settled) => settled,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        if let Err(error) = settled {
            tracing::warn!(%error, target = self.name, "the export position could not be saved; spans may be sent again");
        }
        self.position_saved_at = Some(Instant::now());
        outgoing
    }

    /// Sends spans, split into several requests if necessary.
    async fn send(&mut self, mut spans: Vec<Span>, waiting: impl Fn() -> u64) -> Result<(), SpanExportShutdown> {
        self.sent_spans.remove_sent(&mut spans);
        if !self.content {
            spans.iter_mut().for_each(content::remove_content);
        }
        let mut pieces = VecDeque::from([spans]);
        while let Some(piece) = pieces.pop_front() {
            if piece.is_empty() {
                continue;
            }
            let (piece, packed) = self.encode(piece).await;
            match self.send_with_retry(&packed, piece.len(), &waiting).await? {
                ExportOutcome::Accepted { rejected, message } => {
                    let rejected = usize::try_from(rejected).unwrap_or(usize::MAX).min(piece.len());
                    match rejected {
                        0 => self.health.mark_accepted(),
                        rejected => self.health.log_skipped(rejected, &message),
                    }
                    self.count.add_sent(piece.len() - rejected);
                    self.count.add_failed(rejected);
                    self.sent_spans.insert(&piece);
                    self.retry_budget.reset();
                }
                ExportOutcome::TooLarge(_) | ExportOutcome::Exhausted(_) if piece.len() > 1 => {
                    let mut first = piece;
                    let second = first.split_off(first.len() / 2);
                    pieces.push_front(second);
                    pieces.push_front(first);
                }
                ExportOutcome::TooLarge(reason)
                | ExportOutcome::Exhausted(reason)
                | ExportOutcome::Rejected(reason)
                | ExportOutcome::ServerError(reason)
                | ExportOutcome::Misconfigured(reason)
                | ExportOutcome::RetryLater { reason, .. } => {
                    self.health.log_skipped(piece.len(), &reason);
                    self.count.add_failed(piece.len());
                }
            }
        }
        Ok(())
    }

    async fn encode(&self, spans: Vec<Span>) -> (Vec<Span>, ExportRequestBody) {
        let (protocol, compression) = (self.sender.route().protocol, self.sender.route().compression);
        let packing = tokio::task::spawn_blocking(move || {
            let message = write_export(&spans, request_body::encoding(protocol));
            (spans, request_body::encode_body(message, protocol, compression))
        });
        match packing.await {
            Ok(packed) => packed,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Retries until the target accepts or rejects the request.
    async fn send_with_retry(
        &mut self,
        packed: &ExportRequestBody,
        spans: usize,
        waiting: &impl Fn() -> u64,
    ) -> Result<ExportOutcome, SpanExportShutdown> {
        self.retry_budget.start_payload();
        loop {
            let delivery = tokio::select! {
                delivery = self.sender.send(packed) => delivery,
                () = self.shutdown.abandon.cancelled() => return Err(SpanExportShutdown),
            };
            let (pause, again) = match &delivery {
                ExportOutcome::RetryLater { after, reason } => (self.health.mark_unreachable(reason, *after), true),
                ExportOutcome::Misconfigured(reason) => (self.health.mark_blocked(reason), true),
                // Smaller requests follow after a delay, in case size was not the cause.
                ExportOutcome::Exhausted(reason) if spans > 1 => (self.health.mark_unreachable(reason, None), false),
                ExportOutcome::Exhausted(reason) | ExportOutcome::ServerError(reason) => {
                    let pause = self.health.mark_unreachable(reason, None);
                    if !self.retry_budget.should_retry() {
                        return Ok(delivery);
                    }
                    (pause, true)
                }
                ExportOutcome::Accepted { .. } | ExportOutcome::TooLarge(_) | ExportOutcome::Rejected(_) => {
                    self.health.mark_healthy();
                    return Ok(delivery);
                }
            };
            self.count.set_queued_bytes(waiting());
            self.wait(pause).await?;
            if !again {
                return Ok(delivery);
            }
        }
    }

    /// Waits before the next attempt. Shutdown ends the wait: unsent spans stay in the log.
    async fn wait(&self, pause: Duration) -> Result<(), SpanExportShutdown> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.shutdown.finish.cancelled() => Err(SpanExportShutdown),
        }
    }
}
