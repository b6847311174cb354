//! Commits on threads of the runtime that are about to sleep.

use crate::sample::{commit, task, write};
use baton_journal::{JournalOptions, SqliteJournal, commit_when_idle, enable_idle_commits};
use baton_ports::{CommitObserver, Journal as _, JournalError, StoredEvent};
use parking_lot::Mutex;
use std::{collections::HashSet, sync::Arc, thread};
use tokio::runtime::{Builder, Runtime};

fn runtime() -> Runtime {
    enable_idle_commits();
    Builder::new_multi_thread().worker_threads(2).on_thread_park(commit_when_idle).enable_all().build().unwrap()
}

/// Runs work with a journal on a thread of such a runtime.
pub(crate) fn run_on_worker<Work>(work: impl FnOnce(SqliteJournal) -> Work)
where
    Work: Future<Output = ()> + Send + 'static,
{
    let runtime = runtime();
    let directory = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    runtime.block_on(runtime.spawn(work(journal))).unwrap();
}

/// Names of the threads that committed.
#[derive(Default)]
struct CommitThreads(Mutex<HashSet<String>>);

impl CommitObserver for CommitThreads {
    fn on_commit(&self, _: &[Arc<StoredEvent>]) {
        self.0.lock().insert(thread::current().name().unwrap_or_default().to_owned());
    }
}

#[test]
fn an_idle_thread_commits() {
    run_on_worker(|journal| async move {
        let threads = Arc::new(CommitThreads::default());
        journal.observe(Arc::clone(&threads) as Arc<dyn CommitObserver>);
        for number in 0..200 {
            journal.append(commit([write("a", number, &["one"])])).await.unwrap();
        }
        let names = threads.0.lock().clone();
        assert!(names.iter().any(|name| name.contains("tokio")), "{names:?}");
        assert_eq!(journal.load(None, &task("a")).await.unwrap().unwrap().events.len(), 200);
    });
}

#[test]
fn the_writer_thread_commits_what_no_idle_thread_takes() {
    enable_idle_commits();
    let directory = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    // This runtime does not commit.
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for number in 0..20_u64 {
        runtime.block_on(journal.append(commit([write("a", number, &["one"])]))).unwrap();
    }
    let all: Vec<_> = (20..100).map(|number| journal.append(commit([write("a", number, &["one"])]))).collect();
    for receipt in all {
        runtime.block_on(receipt).unwrap();
    }
}

#[test]
fn callers_on_several_threads_end_up_in_order() {
    run_on_worker(|journal| async move {
        let journal = Arc::new(journal);
        let callers: Vec<_> = (0..16)
            .map(|caller| {
                let journal = Arc::clone(&journal);
                tokio::spawn(async move {
                    for round in 0..50 {
                        let id = format!("t{caller}");
                        journal.append(commit([write(&id, round, &["one"])])).await.unwrap();
                        let version = journal.load(None, &task(&id)).await.unwrap().unwrap().head.version;
                        assert_eq!(version, round + 1);
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
        assert!(journal.tail(0, 9_999).await.unwrap().iter().map(|event| event.seq).eq(1..=800));
    });
}

#[test]
fn a_panic_of_an_observer_ends_the_journal_and_not_the_runtime() {
    struct PanickingObserver;
    impl CommitObserver for PanickingObserver {
        fn on_commit(&self, _: &[Arc<StoredEvent>]) {
            panic!("an observer must not panic");
        }
    }
    run_on_worker(|journal| async move {
        journal.observe(Arc::new(PanickingObserver));
        for id in ["a", "b"] {
            let result = journal.append(commit([write(id, 0, &["one"])])).await;
            assert!(matches!(result, Err(JournalError::Unavailable(_))), "{result:?}");
        }
        assert!(!journal.healthy());
    });
}

#[test]
fn queued_commits_are_durable_after_close() {
    run_on_worker(|journal| async move {
        for number in 0..100 {
            drop(journal.append(commit([write("a", number, &["one"])])));
        }
        journal.close();
        let late = journal.append(commit([write("a", 100, &["late"])])).await;
        assert!(matches!(late, Err(JournalError::Unavailable(_))));
    });
}
