//! Log exporter of one target: sends queued lines in order until they are accepted or dropped.

use super::queue::LogReader;
use crate::{
    Pace,
    carrier::{Carrier, Ended},
    courier::Delivery,
    pack::Packed,
    patience::Patience,
};
use baton_otlp::{LogLine, write_lines};
use baton_types::SpanResource;
use std::{collections::VecDeque, sync::Arc};

/// Maximum number of lines per request.
const MOST: usize = 512;

/// Sends log lines to one target.
pub(crate) struct LogCourier {
    pub(crate) carrier: Carrier,
    pub(crate) resource: Arc<SpanResource>,
    pub(crate) pace: Pace,
    pub(crate) patience: Patience,
}

impl LogCourier {
    /// Sends new lines until shutdown.
    pub(crate) async fn run(mut self, mut lines: LogReader) {
        let finish = self.carrier.ending().finish.clone();
        loop {
            tokio::select! {
                () = finish.cancelled() => {}
                () = lines.more() => {
                    let _ = tokio::time::timeout(self.pace.gather, finish.cancelled()).await;
                }
            }
            if self.drain(&mut lines).await.is_err() || finish.is_cancelled() {
                return;
            }
        }
    }

    /// Sends all queued lines.
    async fn drain(&mut self, lines: &mut LogReader) -> Result<(), Ended> {
        loop {
            let taken = lines.take(MOST);
            self.carrier.count().set_dropped(lines.lost());
            self.carrier.count().set_waiting(lines.waiting());
            if taken.is_empty() {
                return Ok(());
            }
            self.send(taken, lines).await?;
        }
    }

    /// Sends lines, split into several requests if necessary.
    async fn send(&mut self, lines: Vec<Arc<LogLine>>, waiting: &LogReader) -> Result<(), Ended> {
        let mut pieces = VecDeque::from([lines]);
        while let Some(piece) = pieces.pop_front() {
            let resource = Arc::clone(&self.resource);
            let written = move |lines: &Vec<Arc<LogLine>>, encoding| write_lines(lines, &resource, encoding);
            let (mut piece, packed) = self.carrier.pack(piece, written).await;
            match self.bring(&packed, piece.len(), waiting).await? {
                Delivery::Taken { rejected, said } => {
                    self.patience.reset();
                    self.carrier.taken(piece.len(), rejected, &said);
                }
                Delivery::TooLarge(_) | Delivery::Exhausted(_) if piece.len() > 1 => {
                    let second = piece.split_off(piece.len() / 2);
                    pieces.push_front(second);
                    pieces.push_front(piece);
                }
                Delivery::TooLarge(why)
                | Delivery::Exhausted(why)
                | Delivery::Refused(why)
                | Delivery::Broken(why)
                | Delivery::Misplaced(why)
                | Delivery::Later { why, .. } => self.carrier.refused(piece.len(), &why),
            }
        }
        Ok(())
    }

    /// Retries until the target accepts or rejects the request; meanwhile the queue fills and drops its oldest lines.
    async fn bring(&mut self, packed: &Packed, lines: usize, waiting: &LogReader) -> Result<Delivery, Ended> {
        self.patience.begin();
        loop {
            let delivery = self.carrier.deliver(packed).await?;
            let Some(pause) = self.carrier.pause(&delivery) else { return Ok(delivery) };
            let again = match &delivery {
                Delivery::Exhausted(_) if lines > 1 => {
                    self.carrier.wait(pause).await?;
                    false
                }
                Delivery::Exhausted(_) | Delivery::Broken(_) => self.patience.lasts(),
                _ => true,
            };
            if !again {
                return Ok(delivery);
            }
            self.carrier.wait(pause).await?;
            self.carrier.count().set_dropped(waiting.lost());
            self.carrier.count().set_waiting(waiting.waiting());
        }
    }
}
