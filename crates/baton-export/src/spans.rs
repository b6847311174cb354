//! Span exporter of one target: reads the log in order and sends spans until they are accepted.

use crate::{
    ExportTarget, Pace, content,
    counts::Count,
    courier::{Courier, Delivery},
    pack::{self, Packed},
    patience::Patience,
    seen::Seen,
    standing::Standing,
};
use baton_otlp::write_export;
use baton_ports::SpanStoreError;
use baton_spans::{LogPosition, SpanLogBatch, SpanLogReader};
use baton_types::Span;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Approximate limits of one request: gRPC receivers accept 4 MiB by default.
const MOST_SPANS: usize = 2048;
const MOST_BYTES: usize = 2 << 20;
/// Interval of saving the log position under load.
const SETTLE: Duration = Duration::from_secs(1);

/// Shutdown signals: `finish` stops at the end of the log, `abandon` stops immediately.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending {
    pub(crate) finish: CancellationToken,
    pub(crate) abandon: CancellationToken,
}

/// Sends spans to one target.
pub(crate) struct SpanCourier {
    name: String,
    courier: Courier,
    content: bool,
    pace: Pace,
    standing: Standing,
    ending: Ending,
    count: Arc<Count>,
    seen: Seen,
    patience: Patience,
    settled: Option<Instant>,
    /// Whether the current read error of the log was already logged.
    unreadable: bool,
}

/// Shutdown before everything was sent.
struct Ended;

impl SpanCourier {
    pub(crate) fn new(
        target: &ExportTarget,
        courier: Courier,
        content: bool,
        pace: Pace,
        ending: Ending,
        count: Arc<Count>,
    ) -> Self {
        Self {
            name: target.name.clone(),
            standing: Standing::new(target, courier.route(), "spans", &pace, Arc::clone(&count)),
            courier,
            content: target.content.unwrap_or(content),
            pace,
            ending,
            count,
            seen: Seen::default(),
            patience: Patience::new(pace.patience),
            settled: None,
            unreadable: false,
        }
    }

    /// Sends new spans until shutdown.
    pub(crate) async fn run(mut self, mut outgoing: SpanLogReader) {
        loop {
            tokio::select! {
                () = self.ending.finish.cancelled() => {}
                () = outgoing.wait_for_spans() => {
                    let finish = self.ending.finish.cancelled();
                    let _ = tokio::time::timeout(self.pace.gather, finish).await;
                }
            }
            let ended;
            (outgoing, ended) = self.drain(outgoing).await;
            if ended.is_err() || self.ending.finish.is_cancelled() {
                return;
            }
        }
    }

    /// Sends all spans that are in the log now.
    async fn drain(&mut self, mut outgoing: SpanLogReader) -> (SpanLogReader, Result<(), Ended>) {
        loop {
            let before = outgoing.position();
            let reading = tokio::task::spawn_blocking(move || {
                let read = outgoing.read(MOST_SPANS, MOST_BYTES);
                (outgoing, read)
            });
            let read;
            (outgoing, read) = match reading.await {
                Ok(read) => read,
                // The task can only fail by a panic, which loses the reader.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            };
            let SpanLogBatch { spans, end: through } = match read {
                Ok(parcel) => parcel,
                Err(error) => {
                    self.cannot_read(&error);
                    outgoing = self.settle(outgoing, before).await;
                    return (outgoing, self.wait(self.pace.longest).await);
                }
            };
            self.unreadable = false;
            self.count.set_dropped(outgoing.lost());
            let last = spans.is_empty();
            if let Err(ended) = self.send(spans, || outgoing.pending_bytes(before)).await {
                // Saves the position, so that accepted spans are not sent again.
                return (self.settle(outgoing, before).await, Err(ended));
            }
            if last || self.settled.is_none_or(|settled| settled.elapsed() >= SETTLE) {
                outgoing = self.settle(outgoing, through).await;
                self.count.set_waiting(outgoing.pending_bytes(through));
            }
            if last {
                return (outgoing, Ok(()));
            }
        }
    }

    /// Logs a read error of the log as a warning once until reading succeeds.
    fn cannot_read(&mut self, error: &SpanStoreError) {
        let target = &self.name;
        if std::mem::replace(&mut self.unreadable, true) {
            tracing::debug!(%error, target, "the span log cannot be read for export");
        } else {
            tracing::warn!(%error, target, "the span log cannot be read for export; retrying");
        }
    }

    async fn settle(&mut self, outgoing: SpanLogReader, through: LogPosition) -> SpanLogReader {
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
        self.settled = Some(Instant::now());
        outgoing
    }

    /// Sends spans, split into several requests if necessary.
    async fn send(&mut self, mut spans: Vec<Span>, waiting: impl Fn() -> u64) -> Result<(), Ended> {
        self.seen.without(&mut spans);
        if !self.content {
            spans.iter_mut().for_each(content::hide);
        }
        let mut pieces = VecDeque::from([spans]);
        while let Some(piece) = pieces.pop_front() {
            if piece.is_empty() {
                continue;
            }
            let (piece, packed) = self.pack(piece).await;
            match self.bring(&packed, piece.len(), &waiting).await? {
                Delivery::Taken { rejected, said } => {
                    let rejected = usize::try_from(rejected).unwrap_or(usize::MAX).min(piece.len());
                    match rejected {
                        0 => self.standing.took(),
                        rejected => self.standing.skips(rejected, &said),
                    }
                    self.count.sent(piece.len() - rejected);
                    self.count.failed(rejected);
                    self.seen.remember(&piece);
                    self.patience.reset();
                }
                Delivery::TooLarge(_) | Delivery::Exhausted(_) if piece.len() > 1 => {
                    let mut first = piece;
                    let second = first.split_off(first.len() / 2);
                    pieces.push_front(second);
                    pieces.push_front(first);
                }
                Delivery::TooLarge(why)
                | Delivery::Exhausted(why)
                | Delivery::Refused(why)
                | Delivery::Broken(why)
                | Delivery::Misplaced(why)
                | Delivery::Later { why, .. } => {
                    self.standing.skips(piece.len(), &why);
                    self.count.failed(piece.len());
                }
            }
        }
        Ok(())
    }

    async fn pack(&self, spans: Vec<Span>) -> (Vec<Span>, Packed) {
        let (protocol, compression) = (self.courier.route().protocol, self.courier.route().compression);
        let packing = tokio::task::spawn_blocking(move || {
            let message = write_export(&spans, pack::encoding(protocol));
            (spans, pack::pack(message, protocol, compression))
        });
        match packing.await {
            Ok(packed) => packed,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Retries until the target accepts or rejects the request.
    async fn bring(&mut self, packed: &Packed, spans: usize, waiting: &impl Fn() -> u64) -> Result<Delivery, Ended> {
        self.patience.begin();
        loop {
            let delivery = tokio::select! {
                delivery = self.courier.deliver(packed) => delivery,
                () = self.ending.abandon.cancelled() => return Err(Ended),
            };
            let (pause, again) = match &delivery {
                Delivery::Later { after, why } => (self.standing.away(why, *after), true),
                Delivery::Misplaced(why) => (self.standing.blocked(why), true),
                // Smaller requests follow after a delay, in case size was not the cause.
                Delivery::Exhausted(why) if spans > 1 => (self.standing.away(why, None), false),
                Delivery::Exhausted(why) | Delivery::Broken(why) => {
                    let pause = self.standing.away(why, None);
                    if !self.patience.lasts() {
                        return Ok(delivery);
                    }
                    (pause, true)
                }
                Delivery::Taken { .. } | Delivery::TooLarge(_) | Delivery::Refused(_) => {
                    self.standing.well();
                    return Ok(delivery);
                }
            };
            self.count.set_waiting(waiting());
            self.wait(pause).await?;
            if !again {
                return Ok(delivery);
            }
        }
    }

    /// Waits before the next attempt. Shutdown ends the wait: unsent spans stay in the log.
    async fn wait(&self, pause: Duration) -> Result<(), Ended> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.ending.finish.cancelled() => Err(Ended),
        }
    }
}
