//! The lines of one target: from the queue, in its order, until they are taken or make room.

use super::queue::LogReader;
use crate::{
    Pace,
    carrier::{Carrier, Ended},
    courier::Delivery,
};
use baton_otlp::{LogLine, write_lines};
use baton_types::Resource;
use bytes::Bytes;
use std::{collections::VecDeque, sync::Arc};

/// Lines of a request.
const MOST: usize = 512;
/// Something that goes wrong at the other side is tried so often before what was sent is taken to be the reason.
const TRIES: u32 = 3;

/// Sends lines to one target.
pub(crate) struct LogCourier {
    pub(crate) carrier: Carrier,
    pub(crate) resource: Arc<Resource>,
    pub(crate) pace: Pace,
}

impl LogCourier {
    /// Sends what comes until it is told to end.
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

    /// Sends everything that waits now.
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

    /// Sends lines in as many requests as it takes.
    async fn send(&mut self, lines: Vec<Arc<LogLine>>, waiting: &LogReader) -> Result<(), Ended> {
        let mut pieces = VecDeque::from([lines]);
        while let Some(piece) = pieces.pop_front() {
            let resource = Arc::clone(&self.resource);
            let written = move |lines: &Vec<Arc<LogLine>>, encoding| write_lines(lines, &resource, encoding);
            let (mut piece, body) = self.carrier.pack(piece, written).await;
            match self.bring(body, waiting).await? {
                Delivery::Taken { rejected, said } => self.carrier.taken(piece.len(), rejected, &said),
                Delivery::TooLarge(_) if piece.len() > 1 => {
                    let second = piece.split_off(piece.len() / 2);
                    pieces.push_front(second);
                    pieces.push_front(piece);
                }
                Delivery::TooLarge(why)
                | Delivery::Refused(why)
                | Delivery::Broken(why)
                | Delivery::Misplaced(why)
                | Delivery::Later { why, .. } => self.carrier.refused(piece.len(), &why),
            }
        }
        Ok(())
    }

    /// Tries until the target has decided; meanwhile the queue fills, and its oldest lines make room.
    async fn bring(&mut self, body: Bytes, waiting: &LogReader) -> Result<Delivery, Ended> {
        let mut broken = 0;
        loop {
            let delivery = self.carrier.deliver(body.clone()).await?;
            broken += u32::from(matches!(delivery, Delivery::Broken(_)));
            let Some(pause) = self.carrier.pause(&delivery).filter(|_| broken < TRIES) else { return Ok(delivery) };
            self.carrier.wait(pause).await?;
            self.carrier.count().set_dropped(waiting.lost());
            self.carrier.count().set_waiting(waiting.waiting());
        }
    }
}
