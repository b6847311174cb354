//! Request schedule: each connection after its previous response, or all connections at a fixed rate.

use crate::options::{LoadLimit, LoadOptions};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, mpsc};

/// Upper bound of due requests while all connections are busy.
const MAX_DUE_REQUESTS: usize = 4096;

/// Time after the measurement in which due requests may still be sent.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Trigger of the next request.
pub enum RequestPace {
    /// The previous response: a slow server gets fewer requests.
    Answers,
    /// The clock. Latency counts from the scheduled time of a request, so that waiting for a free connection counts as
    /// waiting for the server.
    Clock(Mutex<mpsc::Receiver<Instant>>),
}

impl RequestPace {
    /// Starts the schedule of the options at `begun`.
    pub fn new(options: &LoadOptions, begun: Instant) -> Self {
        let Some(rate) = options.rate else { return Self::Answers };
        let (due, waiting) = mpsc::channel(MAX_DUE_REQUESTS);
        let limit = options.limit;
        // The runtime's timers have a resolution of a millisecond, a thread's sleep of a twentieth of that.
        std::thread::spawn(move || send_due_times(rate, limit, begun, &due));
        Self::Clock(Mutex::new(waiting))
    }

    /// Waits until a request is due; returns its scheduled time, or `None` when there are no more.
    pub async fn next(&self) -> Option<Instant> {
        match self {
            Self::Answers => Some(Instant::now()),
            Self::Clock(waiting) => waiting.lock().await.recv().await,
        }
    }

    /// Time that a connection continues after the measured time.
    pub fn max_wait(&self) -> Duration {
        match self {
            Self::Answers => Duration::ZERO,
            Self::Clock(_) => MAX_WAIT,
        }
    }

    /// The time that decides whether a reply counts. At a fixed rate it is the scheduled time; otherwise the slowest
    /// replies would be left out.
    pub fn counted_at(&self, due: Instant) -> Instant {
        match self {
            Self::Answers => Instant::now(),
            Self::Clock(_) => due,
        }
    }

    /// Number of due requests that were never sent.
    pub async fn unsent(&self) -> usize {
        match self {
            Self::Answers => 0,
            Self::Clock(waiting) => waiting.lock().await.len(),
        }
    }
}

/// Sends the scheduled times; ends after the last one or when the receiver is dropped.
#[expect(clippy::disallowed_methods, reason = "a dedicated thread sleeps until the next scheduled time")]
fn send_due_times(rate: f64, limit: LoadLimit, begun: Instant, due: &mpsc::Sender<Instant>) {
    for number in 0_u32.. {
        let after = Duration::from_secs_f64(f64::from(number) / rate);
        let over = match limit {
            LoadLimit::Count(count) => u64::from(number) >= count,
            LoadLimit::Time { warmup, measured } => after >= warmup + measured,
        };
        std::thread::sleep((begun + after).saturating_duration_since(Instant::now()));
        // Blocks while the queue is full; later entries are delayed, but keep their scheduled times.
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
        let options = LoadOptions::parse(options.into_iter().map(str::to_owned)).expect("understood");
        let begun = Instant::now();
        let pace = RequestPace::new(&options, begun);
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
