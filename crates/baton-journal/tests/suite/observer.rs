//! Commit observers: order and time of their notification.

use crate::sample::{commit, write};
use baton_ports::{CommitObserver, Journal, JournalError, StoredEvent};
use parking_lot::Mutex;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct RecordingObserver(Mutex<Vec<u64>>);

impl RecordingObserver {
    pub(crate) fn seqs(&self) -> Vec<u64> {
        self.0.lock().clone()
    }
}

impl CommitObserver for RecordingObserver {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        self.0.lock().extend(events.iter().map(|event| event.seq));
    }
}

pub(crate) async fn observer_is_notified_in_order_and_before_the_receipt(journal: &dyn Journal) {
    let observer = Arc::new(RecordingObserver::default());
    journal.observe(observer.clone());
    let receipts: Vec<_> = (0..200)
        .map(|number: u64| {
            let stream = format!("t{}", number % 7);
            journal.append(commit([write(&stream, number / 7 * 2, &["one", "two"])]))
        })
        .collect();
    for (receipt, number) in receipts.into_iter().zip(1_u64..) {
        let seq = receipt.await.unwrap();
        assert_eq!(seq, number * 2);
        let seqs = observer.seqs();
        assert_eq!(seqs[..=seq as usize - 1], (1..=seq).collect::<Vec<_>>());
    }
    assert_eq!(observer.seqs(), (1..=400).collect::<Vec<_>>());
    let tail: Vec<_> = journal.tail(0, 1_000).await.unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(tail, observer.seqs());

    let successor = Arc::new(RecordingObserver::default());
    journal.observe(successor.clone());
    journal.append(commit([write("next", 0, &["one"])])).await.unwrap();
    assert_eq!((observer.seqs().len(), successor.seqs()), (400, vec![401]));
}

pub(crate) async fn a_failure_fails_everything_queued_behind_it(journal: &dyn Journal) {
    let observer = Arc::new(RecordingObserver::default());
    journal.observe(observer.clone());
    let first = journal.append(commit([write("a", 0, &["one"])]));
    let wrong = journal.append(commit([write("a", 5, &["wrong"])]));
    let behind = journal.append(commit([write("a", 6, &["behind"])]));
    let other = journal.append(commit([write("b", 0, &["fine"])]));
    assert_eq!(first.await, Ok(1));
    for (receipt, expected) in [(wrong, 5), (behind, 6)] {
        let conflict = JournalError::Conflict { stream: crate::sample::task("a"), expected, actual: 1 };
        assert_eq!(receipt.await, Err(conflict));
    }
    assert_eq!(other.await, Ok(2));
    assert_eq!(observer.seqs(), [1, 2]);
    assert!(journal.healthy());
}
