//! How long to wait before trying again.

use rand::RngExt as _;
use std::time::Duration;

/// No server may ask for more patience than this.
const LONGEST_ASKED: Duration = Duration::from_secs(10 * 60);

/// Pauses that grow, each a little different, so that many who wait for one do not come together.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first }
    }

    /// The next pause; at least as long as the server asked for.
    pub(crate) fn pause(&mut self, asked: Option<Duration>) -> Duration {
        let usual = self.next.mul_f64(rand::rng().random_range(0.75..1.25));
        self.next = (self.next * 2).min(self.longest);
        match asked {
            Some(asked) => asked.min(LONGEST_ASKED).max(usual.min(self.first)),
            None => usual,
        }
    }

    /// It went well.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}
