//! Producers of this process, which buffer spans before they submit them. A query makes them submit first, so that it
//! finds the spans of everything that ended before it.

use parking_lot::Mutex;
use std::{future::pending, time::Duration};
use tokio::{sync::watch, time::timeout};

/// Time limit of a query for the buffered spans; after it, the query runs without them.
const SUBMISSION_TIMEOUT: Duration = Duration::from_secs(1);

/// The producers that submit to a store.
pub(crate) struct SpanProducers {
    /// Number of the last request.
    requested: watch::Sender<u64>,
    /// For each producer the number of the last request that it has answered.
    answered: Mutex<Vec<watch::Receiver<u64>>>,
}

/// Requests to one producer, which ends with this value.
pub(crate) struct SubmissionRequests {
    requested: watch::Receiver<u64>,
    answered: watch::Sender<u64>,
}

impl Default for SpanProducers {
    fn default() -> Self {
        Self { requested: watch::Sender::new(0), answered: Mutex::default() }
    }
}

impl SpanProducers {
    /// Adds a producer.
    pub(crate) fn add(&self) -> SubmissionRequests {
        let answered = watch::Sender::new(*self.requested.borrow());
        self.answered.lock().push(answered.subscribe());
        SubmissionRequests { requested: self.requested.subscribe(), answered }
    }

    /// Waits until the spans that are buffered now are stored, within the time limit.
    pub(crate) async fn submit_all(&self) {
        let answers: Vec<_> = {
            let mut answered = self.answered.lock();
            answered.retain(|answered| answered.has_changed().is_ok());
            answered.clone()
        };
        if answers.is_empty() {
            return;
        }
        let mut number = 0;
        self.requested.send_modify(|last| {
            *last += 1;
            number = *last;
        });
        let all = async {
            for mut answered in answers {
                // A producer that has ended has nothing left to submit.
                let _ = answered.wait_for(|last| *last >= number).await;
            }
        };
        let _ = timeout(SUBMISSION_TIMEOUT, all).await;
    }
}

impl SubmissionRequests {
    /// Waits for a request that is not answered yet, and returns its number; can be cancelled.
    pub(crate) async fn next(&mut self) -> u64 {
        let answered = *self.answered.borrow();
        let next = self.requested.wait_for(|last| *last > answered).await.map(|last| *last);
        match next {
            Ok(last) => last,
            // Without the store there are no requests.
            Err(_) => pending().await,
        }
    }

    /// Reports that everything buffered before the request has been stored, or could not be.
    pub(crate) fn answer(&self, number: u64) {
        self.answered.send_replace(number);
    }

    /// Number of the last request.
    pub(crate) fn last(&self) -> u64 {
        *self.requested.borrow()
    }
}
