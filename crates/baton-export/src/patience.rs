//! Time limit for retrying after server errors, before the payload is assumed to be the cause.

use std::time::Duration;
use tokio::time::Instant;

/// Maximum number of doublings of the time limit.
const MOST_DOUBLED: u32 = 4;

/// Retry time limit. If consecutive payloads fail, the payload is unlikely to be the cause: the limit doubles each
/// time, until a payload is accepted.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    usual: Duration,
    /// Time of the first failure of the current payload.
    since: Option<Instant>,
    /// Number of consecutive payloads whose limit was reached.
    in_vain: u32,
}

impl Patience {
    pub(crate) fn new(usual: Duration) -> Self {
        Self { usual, since: None, in_vain: 0 }
    }

    /// Records a failure; returns whether to retry.
    pub(crate) fn lasts(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let lasts = since.elapsed() < self.usual * 2_u32.pow(self.in_vain);
        if !lasts {
            self.since = None;
            self.in_vain = (self.in_vain + 1).min(MOST_DOUBLED);
        }
        lasts
    }

    /// Starts a new payload.
    pub(crate) fn begin(&mut self) {
        self.since = None;
    }

    /// Records an accepted payload.
    pub(crate) fn reset(&mut self) {
        (self.since, self.in_vain) = (None, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    async fn tries(patience: &mut Patience) -> u32 {
        let mut tries = 0;
        while patience.lasts() {
            tries += 1;
            tokio::time::advance(SECOND).await;
        }
        tries
    }

    #[tokio::test(start_paused = true)]
    async fn it_lasts_longer_while_nothing_is_taken() {
        let mut patience = Patience::new(5 * SECOND);
        for expect in [5, 10, 20, 40, 80, 80] {
            assert_eq!(tries(&mut patience).await, expect);
        }
        patience.reset();
        assert!(patience.lasts());
        tokio::time::advance(5 * SECOND).await;
        patience.begin();
        assert_eq!(tries(&mut patience).await, 5, "what comes next has its own time");
    }
}
