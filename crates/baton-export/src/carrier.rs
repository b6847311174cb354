//! One signal that has no place on disk, on its way to one target.

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

/// It was time to end before everything was sent.
pub(crate) struct Ended;

/// Carries one signal to one target.
pub(crate) struct Carrier {
    signal: Signal,
    courier: Courier,
    standing: Standing,
    ending: Ending,
    count: Arc<Count>,
}

impl Carrier {
    /// What is carried, as people say it.
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

    /// When to end.
    pub(crate) fn ending(&self) -> &Ending {
        &self.ending
    }

    /// How it goes.
    pub(crate) fn count(&self) -> &Arc<Count> {
        &self.count
    }

    /// Looks whether anybody listens, where that is not certain; gives the pause before it is looked again.
    pub(crate) async fn knock(&mut self) -> Option<Duration> {
        let why = self.courier.knock().await.err()?;
        Some(self.standing.away(&why, None))
    }

    /// Writes, compresses and frames a message, away from whoever must not wait.
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
            // Only a defect ends a thread; what it had is not there any more.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Sends something once.
    pub(crate) async fn deliver(&self, packed: &Packed) -> Result<Delivery, Ended> {
        tokio::select! {
            delivery = self.courier.deliver(packed) => Ok(delivery),
            () = self.ending.abandon.cancelled() => Err(Ended),
        }
    }

    /// How long to wait before the next try; nothing when the target has decided.
    pub(crate) fn pause(&mut self, delivery: &Delivery) -> Option<Duration> {
        match delivery {
            Delivery::Later { after, why } => Some(self.standing.away(why, *after)),
            Delivery::Broken(why) | Delivery::Exhausted(why) => Some(self.standing.away(why, None)),
            Delivery::Misplaced(why) => {
                let variable = self.signal.as_str().to_ascii_uppercase();
                let otherwise = format!("OTEL_{variable}_EXPORTER=none or the target's `signals` switch them off");
                Some(self.standing.blocked(&format!("{why}; {otherwise}")))
            }
            Delivery::Taken { .. } | Delivery::TooLarge(_) | Delivery::Refused(_) => {
                self.standing.well();
                None
            }
        }
    }

    /// Waits. Whoever ends does not: nothing is kept for later.
    pub(crate) async fn wait(&self, pause: Duration) -> Result<(), Ended> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.ending.finish.cancelled() => Err(Ended),
        }
    }

    /// The target has so many of them, but for those that it refused.
    pub(crate) fn taken(&mut self, items: usize, rejected: u64, said: &str) {
        let rejected = usize::try_from(rejected).unwrap_or(usize::MAX).min(items);
        self.count.sent(items - rejected);
        match rejected {
            0 => self.standing.took(),
            rejected => self.refused(rejected, said),
        }
    }

    /// The target does not want these, now or ever.
    pub(crate) fn refused(&mut self, items: usize, why: &str) {
        self.count.failed(items);
        self.standing.skips(items, why);
    }
}
