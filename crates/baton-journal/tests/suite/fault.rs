//! The injected faults do what they say.

use crate::{
    observer::Heard,
    sample::{commit, task, write},
};
use baton_journal::{
    MemoryJournal,
    fault::{Fault, FaultyJournal},
};
use baton_ports::{Journal, JournalError};
use std::sync::Arc;

/// Three appends with a fault at the second: what is stored, what was heard, what the receipts said.
async fn check(fault: Fault, stored: &[&str], heard: &[u64], receipts: [bool; 3]) {
    let memory = Arc::new(MemoryJournal::new());
    let journal = FaultyJournal::new(memory.clone(), move |index| if index == 1 { fault } else { Fault::Pass });
    let observer = Arc::new(Heard::default());
    journal.observe(observer.clone());
    let mut said = Vec::new();
    for id in ["a", "b", "c"] {
        let result = journal.append(commit([write(id, 0, &["one"])])).await;
        assert!(matches!(result, Ok(_) | Err(JournalError::Unavailable(_))));
        said.push(result.is_ok());
    }
    assert_eq!((said.as_slice(), journal.appends()), (&receipts[..], 3), "{fault:?}");
    let tail = memory.tail(0, 9).await.unwrap();
    assert_eq!(tail.iter().map(|event| event.stream.id()).collect::<Vec<_>>(), stored, "{fault:?}");
    assert_eq!(observer.seqs(), heard, "{fault:?}");

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
async fn each_fault_writes_and_tells_what_it_should() {
    check(Fault::Pass, &["a", "b", "c"], &[1, 2, 3], [true, true, true]).await;
    check(Fault::Fail, &["a", "c"], &[1, 2], [true, false, true]).await;
    check(Fault::WriteThenFail, &["a", "b", "c"], &[1, 2, 3], [true, false, true]).await;
    check(Fault::CrashBefore, &["a"], &[1], [true, false, false]).await;
    check(Fault::CrashAfter, &["a", "b"], &[1], [true, false, false]).await;
}
