//! Injected faults.

use crate::{
    observer::RecordingObserver,
    sample::{claim, commit, open_progress, outbox_entry, principal, task, write},
};
use baton_journal::{
    MemoryJournal,
    fault::{Fault, FaultyJournal},
};
use baton_ports::{Commit, Journal, JournalError};
use std::sync::Arc;

/// Three appends with a fault at the second: stored streams, observed sequence numbers, and receipts.
async fn check(fault: Fault, stored: &[&str], observed: &[u64], receipts: [bool; 3]) {
    let memory = Arc::new(MemoryJournal::new());
    let journal = FaultyJournal::new(memory.clone(), move |index| if index == 1 { fault } else { Fault::Pass });
    let observer = Arc::new(RecordingObserver::default());
    journal.observe(observer.clone());
    let mut results = Vec::new();
    for id in ["a", "b", "c"] {
        let result = journal.append(commit([write(id, 0, &["one"])])).await;
        assert!(matches!(result, Ok(_) | Err(JournalError::Unavailable(_))));
        results.push(result.is_ok());
    }
    assert_eq!((results.as_slice(), journal.appends()), (&receipts[..], 3), "{fault:?}");
    let tail = memory.tail(0, 9).await.unwrap();
    assert_eq!(tail.iter().map(|event| event.stream.id()).collect::<Vec<_>>(), stored, "{fault:?}");
    assert_eq!(observer.seqs(), observed, "{fault:?}");

    let crashes = matches!(fault, Fault::CrashBefore | Fault::CrashAfter);
    assert_eq!((journal.crashed(), journal.healthy()), (crashes, !crashes));
    assert_eq!(journal.load(None, &task("a")).await.is_err(), crashes);
    if crashes {
        journal.until_crashed().await;
        let lease = journal.acquire(&task("a"), "me", crate::sample::at(0), std::time::Duration::ZERO).await;
        assert!(matches!(lease, Err(JournalError::Unavailable(_))));
        assert_eq!(memory.load(None, &task("a")).await.unwrap().unwrap().head.epoch, 1);
    }
}

#[tokio::test]
async fn each_fault_has_its_effect_on_storage_observer_and_receipts() {
    check(Fault::Pass, &["a", "b", "c"], &[1, 2, 3], [true, true, true]).await;
    check(Fault::Fail, &["a", "c"], &[1, 2], [true, false, true]).await;
    check(Fault::WriteThenFail, &["a", "b", "c"], &[1, 2, 3], [true, false, true]).await;
    check(Fault::CrashBefore, &["a"], &[1], [true, false, false]).await;
    check(Fault::CrashAfter, &["a", "b"], &[1], [true, false, false]).await;
}

/// A send with a key and an outbox entry, of which the caller learns only that it failed.
fn sent() -> Commit {
    Commit {
        outbox: vec![outbox_entry("o", "push", "a")],
        claims: vec![claim("k", "a")],
        ..commit([write("a", 0, &["one"])])
    }
}

#[tokio::test]
async fn a_commit_that_reports_failure_is_there_whole_or_not_at_all() {
    for (fault, again) in [
        (Fault::Fail, Ok(1)),
        (Fault::WriteThenFail, Err(JournalError::Claimed { key: "k".to_owned() })),
        (Fault::CrashBefore, Ok(1)),
        (Fault::CrashAfter, Err(JournalError::Claimed { key: "k".to_owned() })),
    ] {
        let memory = Arc::new(MemoryJournal::new());
        let journal = FaultyJournal::new(memory.clone(), move |_| fault);
        assert!(matches!(journal.append(sent()).await, Err(JournalError::Unavailable(_))), "{fault:?}");
        let found = memory.claim(&principal("local", "ann"), "k").await.unwrap();
        assert_eq!(found, again.is_err().then(|| claim("k", "a")), "{fault:?}");
        let orders = memory.outbox_open("push", None, 9).await.unwrap();
        assert_eq!(orders.len(), usize::from(again.is_err()), "{fault:?}");

        // A crashed journal rejects the other calls too.
        let dead = |result: Result<bool, JournalError>| matches!(result, Err(JournalError::Unavailable(_)));
        if journal.crashed() {
            assert!(
                dead(journal.outbox_advance("o", open_progress(1)).await) && dead(journal.outbox_remove("o").await)
            );
            assert!(journal.claim(&principal("local", "ann"), "k").await.is_err());
            assert!(journal.outbox_open("push", None, 9).await.is_err());
        }
        assert_eq!(memory.append(sent()).await, again, "{fault:?}");
        assert_eq!(memory.outbox("push", &task("a")).await.unwrap(), [outbox_entry("o", "push", "a")]);
        assert_eq!(memory.tail(0, 9).await.unwrap().len(), 1, "{fault:?}");
    }
}
