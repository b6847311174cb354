//! The clock of timers, advanced by the program.

use anyhow::Result;
use std::{sync::mpsc, time::Duration};
use tokio::task::JoinHandle;

/// Time that one operation takes, as for a single client of a release build.
const OPERATION_INTERVAL: Duration = Duration::from_millis(1);

/// The runtime's clock, which only [`FrozenClock::step`] advances.
///
/// Background work is batched by time. Under valgrind everything takes fifty times as long, so that real time would
/// change the batches, and with them the counts, with the load of the machine.
pub struct FrozenClock {
    release: mpsc::Sender<()>,
    blocker: JoinHandle<()>,
}

impl FrozenClock {
    /// Stops the clock.
    pub fn freeze() -> Self {
        let (release, released) = mpsc::channel();
        tokio::time::pause();
        // While a blocking task runs, an idle runtime does not advance the clock to the next timeout.
        let blocker = tokio::task::spawn_blocking(move || {
            let _ = released.recv();
        });
        Self { release, blocker }
    }

    /// Advances the clock by one operation.
    pub async fn step(&self) {
        tokio::time::advance(OPERATION_INTERVAL).await;
    }

    /// Returns to real time.
    pub async fn thaw(self) -> Result<()> {
        tokio::time::resume();
        drop(self.release);
        Ok(self.blocker.await?)
    }
}
