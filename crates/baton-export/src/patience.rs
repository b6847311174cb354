//! How long something that goes wrong at the other side is tried before what was sent is taken to be the reason.

use std::time::Duration;
use tokio::time::Instant;

/// It doubles at most so often.
const MOST_DOUBLED: u32 = 4;

/// How long it is tried. When one thing after the other goes wrong there, what is sent is hardly the reason: then it
/// lasts longer each time, until something is taken.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    usual: Duration,
    /// Since when this goes wrong.
    since: Option<Instant>,
    /// How often in a row it did not help to wait.
    in_vain: u32,
}

impl Patience {
    pub(crate) fn new(usual: Duration) -> Self {
        Self { usual, since: None, in_vain: 0 }
    }

    /// It went wrong; says whether to try once more.
    pub(crate) fn lasts(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let lasts = since.elapsed() < self.usual * 2_u32.pow(self.in_vain);
        if !lasts {
            self.since = None;
            self.in_vain = (self.in_vain + 1).min(MOST_DOUBLED);
        }
        lasts
    }

    /// Something else is sent now.
    pub(crate) fn begin(&mut self) {
        self.since = None;
    }

    /// Something was taken.
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
