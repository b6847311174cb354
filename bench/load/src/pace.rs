//! When requests are sent: each connection as soon as it has its answer, or all of them together at a fixed rate.

use crate::options::{Limit, Options};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, mpsc};

/// Requests that may be due while every connection waits for an answer.
const MOST_WAITING: usize = 4096;

/// How long requests that were due in time may still be sent after the measured time.
const PATIENCE: Duration = Duration::from_secs(10);

/// What decides when the next request is sent.
pub enum Pace {
    /// The answer to the one before, so that a slow server is asked less.
    Answers,
    /// The clock. Latency counts from the moment at which a request was due: one that has to wait for a connection has
    /// waited for the server.
    Clock(Mutex<mpsc::Receiver<Instant>>),
}

impl Pace {
    /// As the options say, from `begun` on.
    pub fn new(options: &Options, begun: Instant) -> Self {
        let Some(rate) = options.rate else { return Self::Answers };
        let (due, waiting) = mpsc::channel(MOST_WAITING);
        let limit = options.limit;
        // The runtime's timers are a millisecond wide, a thread's sleep a twentieth of that.
        std::thread::spawn(move || keep_time(rate, limit, begun, &due));
        Self::Clock(Mutex::new(waiting))
    }

    /// Waits until a request is due; the moment at which it was, or nothing when there are no more.
    pub async fn next(&self) -> Option<Instant> {
        match self {
            Self::Answers => Some(Instant::now()),
            Self::Clock(waiting) => waiting.lock().await.recv().await,
        }
    }

    /// How long after the measured time a connection goes on.
    pub fn patience(&self) -> Duration {
        match self {
            Self::Answers => Duration::ZERO,
            Self::Clock(_) => PATIENCE,
        }
    }

    /// Which moment decides whether a reply counts. At a fixed rate that is when it was due, or the slowest replies would
    /// be left out.
    pub fn moment(&self, due: Instant) -> Instant {
        match self {
            Self::Answers => Instant::now(),
            Self::Clock(_) => due,
        }
    }

    /// How many requests were due and never sent.
    pub async fn unsent(&self) -> usize {
        match self {
            Self::Answers => 0,
            Self::Clock(waiting) => waiting.lock().await.len(),
        }
    }
}

/// Says when requests are due; ends when all were, or nobody listens any more.
#[expect(clippy::disallowed_methods, reason = "a thread of its own waits for the moment; there is no event")]
fn keep_time(rate: f64, limit: Limit, begun: Instant, due: &mpsc::Sender<Instant>) {
    for number in 0_u32.. {
        let after = Duration::from_secs_f64(f64::from(number) / rate);
        let over = match limit {
            Limit::Count(count) => u64::from(number) >= count,
            Limit::Time { warmup, measured } => after >= warmup + measured,
        };
        std::thread::sleep((begun + after).saturating_duration_since(Instant::now()));
        // When the queue is full this waits, and the next ones are said late; but they say when they were due.
        if over || due.blocking_send(begun + after).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_due_at_their_times_however_late_they_are_taken() {
        let options = ["--url", "http://127.0.0.1:1", "--rate", "1000", "--count", "20"];
        let options = Options::parse(options.into_iter().map(str::to_owned)).expect("understood");
        let begun = Instant::now();
        let pace = Pace::new(&options, begun);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            for number in 0..20 {
                assert_eq!(pace.next().await, Some(begun + Duration::from_millis(number)));
                assert!(begun.elapsed() >= Duration::from_millis(number));
            }
            assert_eq!(pace.next().await, None);
            assert_eq!(pace.unsent().await, 0);
        });
    }
}
