//! Exporter of a signal without storage on disk, for one target.

use crate::{
    ExportTarget, Pace, Route, Signal,
    counts::Count,
    courier::{Courier, Delivery},
    pack::{self, Packed},
    spans::Ending,
    standing::Standing,
};
use baton_otlp::Encoding;
use std::{sync::Arc, time::Duration};

/// Shutdown before everything was sent.
pub(crate) struct Ended;

/// Sends one signal to one target.
pub(crate) struct Carrier {
    signal: Signal,
    courier: Courier,
    standing: Standing,
    ending: Ending,
    count: Arc<Count>,
}

impl Carrier {
    /// `items` is the display name of the exported items.
    pub(crate) fn new(
        target: &ExportTarget,
        (signal, items): (Signal, &'static str),
        route: &Route,
        pace: &Pace,
        ending: Ending,
    ) -> Self {
        let count = Count::new(&target.name, signal);
        let courier = if target.assumed { Courier::knocking } else { Courier::new };
        Self {
            signal,
            courier: courier(signal, route.clone()),
            standing: Standing::new(target, route, items, pace, Arc::clone(&count)),
            ending,
            count,
        }
    }

    /// Shutdown signals.
    pub(crate) fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Counters of this signal and target.
    pub(crate) fn count(&self) -> &Arc<Count> {
        &self.count
    }

    /// Probes a default target; returns the retry delay if no receiver listens.
    pub(crate) async fn knock(&mut self) -> Option<Duration> {
        let why = self.courier.knock().await.err()?;
        Some(self.standing.away(&why, None))
    }

    /// Encodes, compresses and frames a message on a blocking thread.
    pub(crate) async fn pack<T: Send + 'static>(
        &self,
        what: T,
        write: impl FnOnce(&T, Encoding) -> Vec<u8> + Send + 'static,
    ) -> (T, Packed) {
        let (protocol, compression) = (self.courier.route().protocol, self.courier.route().compression);
        let packing = tokio::task::spawn_blocking(move || {
            let message = write(&what, pack::encoding(protocol));
            (what, pack::pack(message, protocol, compression))
        });
        match packing.await {
            Ok(packed) => packed,
            // The task can only fail by a panic, which loses the message.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Sends a request once.
    pub(crate) async fn deliver(&self, packed: &Packed) -> Result<Delivery, Ended> {
        tokio::select! {
            delivery = self.courier.deliver(packed) => Ok(delivery),
            () = self.ending.abandon.cancelled() => Err(Ended),
        }
    }

    /// Delay before the next attempt; `None` if the target accepted or rejected the request.
    pub(crate) fn pause(&mut self, delivery: &Delivery) -> Option<Duration> {
        match delivery {
            Delivery::Later { after, why } => Some(self.standing.away(why, *after)),
            Delivery::Broken(why) | Delivery::Exhausted(why) => Some(self.standing.away(why, None)),
            Delivery::Misplaced(why) => {
                let variable = self.signal.as_str().to_ascii_uppercase();
                let otherwise =
                    format!("to disable this signal, set OTEL_{variable}_EXPORTER=none or the target's `signals`");
                Some(self.standing.blocked(&format!("{why}; {otherwise}")))
            }
            Delivery::Taken { .. } | Delivery::TooLarge(_) | Delivery::Refused(_) => {
                self.standing.well();
                None
            }
        }
    }

    /// Waits. Shutdown ends the wait: unsent items are not stored.
    pub(crate) async fn wait(&self, pause: Duration) -> Result<(), Ended> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.ending.finish.cancelled() => Err(Ended),
        }
    }

    /// Records accepted items, except the rejected ones.
    pub(crate) fn taken(&mut self, items: usize, rejected: u64, said: &str) {
        let rejected = usize::try_from(rejected).unwrap_or(usize::MAX).min(items);
        self.count.sent(items - rejected);
        match rejected {
            0 => self.standing.took(),
            rejected => self.refused(rejected, said),
        }
    }

    /// Records permanently rejected items.
    pub(crate) fn refused(&mut self, items: usize, why: &str) {
        self.count.failed(items);
        self.standing.skips(items, why);
    }
}
