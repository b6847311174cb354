//! Metrics exporter of one target.

use super::pieces::{points, split};
use crate::{
    carrier::{Carrier, Ended},
    courier::Delivery,
};
use baton_otlp::write_meters;
use baton_telemetry::Meters;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Maximum number of series per request: a series has at most about 1 KiB, and gRPC receivers accept 4 MiB by default.
const MOST: usize = 1024;

/// Reads metrics and sends them to one target.
pub(crate) struct MeterCourier {
    pub(crate) carrier: Carrier,
    pub(crate) meters: Arc<Meters>,
    /// Clock, in nanoseconds since the Unix epoch.
    pub(crate) now: fn() -> u64,
    pub(crate) every: Duration,
}

impl MeterCourier {
    /// Exports at the interval and once at shutdown.
    pub(crate) async fn run(mut self) {
        let finish = self.carrier.ending().finish.clone();
        let mut pause = self.every;
        loop {
            let due = Instant::now() + pause;
            let last = tokio::time::timeout_at(due, finish.cancelled()).await.is_ok();
            match self.tell().await {
                Err(Ended) => return,
                Ok(_) if last => return,
                Ok(again) => pause = again.unwrap_or(self.every),
            }
        }
    }

    /// Reads and sends the metrics; returns the delay before the next attempt if sending failed.
    async fn tell(&mut self) -> Result<Option<Duration>, Ended> {
        // Probes first: reading metrics may query the journal.
        if let Some(pause) = self.carrier.knock().await {
            return Ok(Some(pause));
        }
        let reading = self.meters.read((self.now)()).await;
        let mut pieces = VecDeque::from([(reading, MOST)]);
        while let Some((piece, most)) = pieces.pop_front() {
            let (piece, rest) = split(piece, most);
            pieces.extend(rest.map(|rest| (rest, MOST)));
            let count = points(&piece);
            if count == 0 {
                continue;
            }
            let (piece, packed) = self.carrier.pack(piece, write_meters).await;
            let delivery = self.carrier.deliver(&packed).await?;
            let pause = self.carrier.pause(&delivery);
            match delivery {
                Delivery::Exhausted(_) if count > 1 => {
                    self.carrier.wait(pause.unwrap_or_default()).await?;
                    pieces.push_front((piece, count / 2));
                }
                Delivery::Later { .. } | Delivery::Broken(_) | Delivery::Misplaced(_) | Delivery::Exhausted(_) => {
                    return Ok(pause);
                }
                Delivery::Taken { rejected, said } => self.carrier.taken(count, rejected, &said),
                Delivery::TooLarge(_) if count > 1 => pieces.push_front((piece, count / 2)),
                Delivery::TooLarge(why) | Delivery::Refused(why) => self.carrier.refused(count, &why),
            }
        }
        Ok(None)
    }
}
