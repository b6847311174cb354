//! The spans of one target: from the log, in its order, until they are taken.

use crate::{
    ExportTarget, Pace, content,
    counts::Count,
    courier::{Courier, Delivery},
    pack,
    seen::Seen,
    standing::Standing,
};
use baton_otlp::write_export;
use baton_spans::{LogPlace, Outgoing, Parcel};
use baton_types::Span;
use bytes::Bytes;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A request has at most about this much: receivers of gRPC take 4 MiB unless told otherwise.
const MOST_SPANS: usize = 2048;
const MOST_BYTES: usize = 2 << 20;
/// So often the place in the log becomes durable while there is much to send.
const SETTLE: Duration = Duration::from_secs(1);
/// Something that goes wrong at the other side is tried so often before what was sent is taken to be the reason.
const TRIES: u32 = 3;

/// When to end: at the end of the log, or at once.
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
    settled: Option<Instant>,
}

/// It was time to end before everything was sent.
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
            settled: None,
        }
    }

    /// Sends what comes until it is told to end.
    pub(crate) async fn run(mut self, mut outgoing: Outgoing) {
        loop {
            tokio::select! {
                () = self.ending.finish.cancelled() => {}
                () = outgoing.more() => {
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

    /// Sends everything that is in the log now.
    async fn drain(&mut self, mut outgoing: Outgoing) -> (Outgoing, Result<(), Ended>) {
        loop {
            let before = outgoing.place();
            let reading = tokio::task::spawn_blocking(move || {
                let read = outgoing.read(MOST_SPANS, MOST_BYTES);
                (outgoing, read)
            });
            let read;
            (outgoing, read) = match reading.await {
                Ok(read) => read,
                // Only a defect ends a thread; what it had is not there any more.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            };
            let Parcel { spans, through } = match read {
                Ok(parcel) => parcel,
                Err(error) => {
                    tracing::warn!(%error, target = self.name, "the log of spans cannot be read for sending");
                    let ended = self.wait(self.pace.longest).await;
                    return (outgoing, ended);
                }
            };
            self.count.set_dropped(outgoing.lost());
            let last = spans.is_empty();
            if let Err(ended) = self.send(spans, || outgoing.waiting(before)).await {
                return (outgoing, Err(ended));
            }
            if last || self.settled.is_none_or(|settled| settled.elapsed() >= SETTLE) {
                outgoing = self.settle(outgoing, through).await;
                self.count.set_waiting(outgoing.waiting(through));
            }
            if last {
                return (outgoing, Ok(()));
            }
        }
    }

    async fn settle(&mut self, outgoing: Outgoing, through: LogPlace) -> Outgoing {
        let settling = tokio::task::spawn_blocking(move || {
            let settled = outgoing.settle(through);
            (outgoing, settled)
        });
        let (outgoing, settled) = match settling.await {
            Ok(settled) => settled,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        if let Err(error) = settled {
            tracing::warn!(%error, target = self.name, "what was sent could not be noted; it may be sent again");
        }
        self.settled = Some(Instant::now());
        outgoing
    }

    /// Sends spans in as many requests as it takes.
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
            let (piece, body) = self.pack(piece).await;
            match self.bring(body, &waiting).await? {
                Delivery::Taken { rejected, said } => {
                    let rejected = usize::try_from(rejected).unwrap_or(usize::MAX).min(piece.len());
                    match rejected {
                        0 => self.standing.took(),
                        rejected => self.standing.skips(rejected, &said),
                    }
                    self.count.sent(piece.len() - rejected);
                    self.count.failed(rejected);
                    self.seen.remember(&piece);
                }
                Delivery::TooLarge(_) if piece.len() > 1 => {
                    let mut first = piece;
                    let second = first.split_off(first.len() / 2);
                    pieces.push_front(second);
                    pieces.push_front(first);
                }
                Delivery::TooLarge(why)
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

    async fn pack(&self, spans: Vec<Span>) -> (Vec<Span>, Bytes) {
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

    /// Tries until the target has decided.
    async fn bring(&mut self, body: Bytes, waiting: &impl Fn() -> u64) -> Result<Delivery, Ended> {
        let mut broken = 0;
        loop {
            let delivery = tokio::select! {
                delivery = self.courier.deliver(body.clone()) => delivery,
                () = self.ending.abandon.cancelled() => return Err(Ended),
            };
            let pause = match &delivery {
                Delivery::Later { after, why } => self.standing.away(why, *after),
                Delivery::Misplaced(why) => self.standing.blocked(why),
                Delivery::Broken(why) if broken + 1 < TRIES => {
                    broken += 1;
                    self.standing.away(why, None)
                }
                // What comes next is not better off.
                Delivery::Broken(_) => return Ok(delivery),
                Delivery::Taken { .. } | Delivery::TooLarge(_) | Delivery::Refused(_) => {
                    self.standing.well();
                    return Ok(delivery);
                }
            };
            self.count.set_waiting(waiting());
            self.wait(pause).await?;
        }
    }

    /// Waits before the next try. Whoever ends does not wait: the log keeps what was not sent.
    async fn wait(&self, pause: Duration) -> Result<(), Ended> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.ending.finish.cancelled() => Err(Ended),
        }
    }
}
