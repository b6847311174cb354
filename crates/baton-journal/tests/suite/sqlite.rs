//! Guarantees of the durable journal only.

use crate::sample::{claim, commit, created, open_progress, outbox_entry, principal, task, write};
use baton_journal::{JournalOptions, SqliteJournal};
use baton_ports::{CommitObserver, Journal, JournalError, OutboxEntry, StoredEvent, StreamQuery};
use baton_types::TaskState;
use parking_lot::Mutex;
use std::{
    path::Path,
    sync::{Arc, mpsc},
    time::Duration,
};

fn open(directory: &Path) -> Result<SqliteJournal, JournalError> {
    SqliteJournal::open(directory, JournalOptions::default())
}

fn refusal(directory: &Path) -> JournalError {
    open(directory).err().unwrap()
}

#[tokio::test]
async fn queued_commits_are_durable_after_close() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("deep").join("data");
    let journal = open(&data).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
    }
    for number in 0..100_u64 {
        // These receipts are not awaited; closing waits for the commits.
        drop(journal.append(commit([write("a", number, &["one"])])));
    }
    journal.close();
    let late = journal.append(commit([write("a", 100, &["late"])])).await;
    assert!(matches!(late, Err(JournalError::Unavailable(_))));
    assert!(matches!(journal.tail(0, 1).await, Err(JournalError::Unavailable(_))));
    assert!(!data.join("journal.db-wal").exists());
    drop(journal);

    let journal = open(&data).unwrap();
    assert_eq!(journal.load(None, &task("a")).await.unwrap().unwrap().events.len(), 100);
    assert_eq!(journal.append(commit([write("a", 100, &["next"])])).await, Ok(101));
}

#[tokio::test]
async fn acknowledged_commits_survive_a_kill() {
    let (directory, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = JournalOptions { checkpoint_pages: 40, ..JournalOptions::default() };
    let journal = SqliteJournal::open(directory.path(), options).unwrap();
    let mut first = commit([write("a", 0, &["one"])]);
    first.outbox = vec![outbox_entry("o", "push", "a"), outbox_entry("gone", "push", "a")];
    first.claims.push(claim("k", "a"));
    journal.append(first).await.unwrap();
    for number in 1..50_u64 {
        journal.append(commit([write("a", number, &["one"])])).await.unwrap();
        assert_eq!(journal.outbox_advance("o", open_progress(number)).await, Ok(true));
    }
    assert_eq!(journal.outbox_remove("gone").await, Ok(true));
    // As after a kill: database and log, never closed, without the shared-memory index.
    for name in ["journal.db", "journal.db-wal"] {
        std::fs::copy(directory.path().join(name), copy.path().join(name)).unwrap();
    }
    let reopened = open(copy.path()).unwrap();
    assert_eq!(reopened.tail(0, 99).await.unwrap(), journal.tail(0, 99).await.unwrap());
    let orders = reopened.outbox("push", &task("a")).await.unwrap();
    assert_eq!(orders, [OutboxEntry { progress: open_progress(49), ..outbox_entry("o", "push", "a") }]);
    assert_eq!(reopened.claim(&principal("local", "ann"), "k").await, Ok(Some(claim("k", "a"))));
    assert_eq!(reopened.outbox_advance("gone", open_progress(50)).await, Ok(false));
    assert_eq!(reopened.append(commit([write("a", 50, &["next"])])).await, Ok(51));
}

#[test]
fn one_process_owns_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path()).unwrap();
    assert_eq!(refusal(directory.path()), JournalError::Locked(directory.path().display().to_string()));
    drop(journal);
    assert!(open(directory.path()).is_ok());
}

#[test]
fn foreign_file_is_refused_and_left_unchanged() {
    let torn = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let patched = |offset: usize, patch: [u8; 4]| {
        move |mut bytes: Vec<u8>| {
            bytes[offset..offset + 4].copy_from_slice(&patch);
            bytes
        }
    };
    // Offsets of SQLite's file header: 60 is user_version, 68 is application_id.
    check_refused(&|_| b"this is not a database, however long it may be".repeat(100), "damaged");
    check_refused(&torn, "damaged");
    check_refused(&patched(68, *b"ELSE"), "not a Baton journal");
    check_refused(&patched(60, [0, 0, 0, 99]), "has schema 99; this Baton supports 7");
}

fn check_refused(damage: &dyn Fn(Vec<u8>) -> Vec<u8>, expected: &str) {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()).unwrap());
    let file = directory.path().join("journal.db");
    let damaged = damage(std::fs::read(&file).unwrap());
    std::fs::write(&file, &damaged).unwrap();
    let error = refusal(directory.path());
    assert!(matches!(error, JournalError::Corrupt(_) | JournalError::NewerSchema { found: 99, known: 7 }), "{error:?}");
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), damaged);
}

#[tokio::test]
async fn a_full_disk_refuses_and_recovers() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path()).unwrap();
    let text = "x".repeat(30_000);
    journal.append(commit([write("a", 0, &["one"])])).await.unwrap();
    journal.set_max_pages(Some(64));
    let mut version = 1;
    let error = loop {
        match journal.append(commit([write("a", version, &[&text])])).await {
            Ok(_) => version += 1,
            Err(error) => break error,
        }
        assert!(version < 100);
    };
    assert!(matches!(&error, JournalError::Unavailable(reason) if reason.contains("the disk is full")), "{error:?}");
    assert!(!journal.healthy());
    // Reads continue, and nothing of the failed commit is visible.
    assert_eq!(journal.load(None, &task("a")).await.unwrap().unwrap().head.version, version);
    assert!(journal.append(commit([write("a", version, &[&text])])).await.is_err());

    journal.set_max_pages(None);
    let again = tokio::time::timeout(Duration::from_secs(10), async {
        while !journal.healthy() {
            tokio::task::yield_now().await;
        }
    });
    again.await.unwrap();
    journal.append(commit([write("a", version, &[&text])])).await.unwrap();
    assert_eq!(journal.tail(0, 999).await.unwrap().len() as u64, version + 1);
}

#[tokio::test]
async fn failed_group_fails_completely_and_spares_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path()).unwrap();
    let mut first = commit([write("told", 0, &["one"])]);
    first.outbox = vec![outbox_entry("o", "push", "told"), outbox_entry("p", "push", "told")];
    journal.append(first).await.unwrap();
    let gate = Gate::block(&journal, "gate").await;
    journal.set_max_pages(Some(1));
    let text = "x".repeat(60_000);
    let small = journal.append(commit([write("small", 0, &["one"])]));
    let large = journal.append(commit([write("large", 0, &[&text, &text, &text, &text])]));
    let behind = journal.append(commit([write("large", 4, &["behind"])]));
    let orders = [journal.outbox_advance("o", open_progress(1)), journal.outbox_remove("p")];
    gate.open();
    for receipt in [small, large, behind] {
        assert!(matches!(receipt.await, Err(JournalError::Unavailable(_))));
    }
    for order in orders {
        assert!(matches!(order.await, Err(JournalError::Unavailable(_))));
    }
    let stay = [outbox_entry("o", "push", "told"), outbox_entry("p", "push", "told")];
    assert_eq!(journal.outbox_open("push", None, 9).await.unwrap(), stay);
    journal.set_max_pages(None);
    assert_eq!(journal.append(commit([write("small", 0, &["one"])])).await, Ok(3));
    assert!(journal.load(None, &task("large")).await.unwrap().is_none());
    assert!(journal.healthy());
}

#[tokio::test]
async fn a_full_queue_answers_busy_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = JournalOptions { queue: 2, ..JournalOptions::default() };
    let journal = SqliteJournal::open(directory.path(), options).unwrap();
    let gate = Gate::block(&journal, "gate").await;
    let queued = ["a", "b"].map(|id| journal.append(commit([write(id, 0, &["one"])])));
    assert_eq!(journal.append(commit([write("c", 0, &["one"])])).await, Err(JournalError::Busy));
    gate.open();
    for receipt in queued {
        assert!(receipt.await.is_ok());
    }
    assert!(journal.append(commit([write("c", 0, &["one"])])).await.is_ok());
}

#[tokio::test]
async fn dead_writer_returns_errors() {
    struct PanickingObserver;
    impl CommitObserver for PanickingObserver {
        fn on_commit(&self, _: &[Arc<StoredEvent>]) {
            panic!("an observer must not panic");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path()).unwrap();
    journal.observe(Arc::new(PanickingObserver));
    for id in ["a", "b"] {
        let result = journal.append(commit([write(id, 0, &["one"])])).await;
        assert!(matches!(result, Err(JournalError::Unavailable(_))));
    }
    assert!(!journal.healthy());
}

#[tokio::test]
async fn many_streams_and_callers_end_up_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let options = JournalOptions { cached_heads: 8, checkpoint_pages: 16, group: 7, ..JournalOptions::default() };
    let journal = Arc::new(SqliteJournal::open(directory.path(), options).unwrap());
    let callers = (0..8).map(|caller| {
        let journal = journal.clone();
        tokio::spawn(async move {
            for round in 0..10_u64 {
                for stream in 0..10 {
                    let id = format!("t{caller}-{stream}");
                    journal.append(commit([write(&id, round * 2, &["x", "y"])])).await.unwrap();
                    let version = journal.load(None, &task(&id)).await.unwrap().unwrap().head.version;
                    assert_eq!(version, round * 2 + 2);
                }
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    let tail = journal.tail(0, 9_999).await.unwrap();
    assert!(tail.iter().map(|event| event.seq).eq(1..=1_600));
    let page = journal.list(&principal("local", "ann"), &StreamQuery::tasks(1)).await.unwrap();
    assert_eq!(page.total, 80);
    let ended = created("end", TaskState::Completed, 1);
    journal.append(commit([ended])).await.unwrap();
    assert_eq!(journal.active_streams(None, 999).await.unwrap().len(), 80);
}

/// Keeps the writer blocked until it is opened or dropped.
struct Gate {
    open: mpsc::Sender<()>,
}

struct BlockingObserver(Mutex<(mpsc::Sender<()>, mpsc::Receiver<()>)>);

impl CommitObserver for BlockingObserver {
    fn on_commit(&self, _: &[Arc<StoredEvent>]) {
        let waits = self.0.lock();
        let _ = waits.0.send(());
        // An opened gate has dropped its sender, so the wait ends.
        let _ = waits.1.recv();
    }
}

impl Gate {
    /// Returns once the writer has committed this stream and is blocked.
    async fn block(journal: &SqliteJournal, id: &str) -> Self {
        let ((arrived, arrival), (open, opened)) = (mpsc::channel(), mpsc::channel());
        journal.observe(Arc::new(BlockingObserver(Mutex::new((arrived, opened)))));
        drop(journal.append(commit([write(id, 0, &["gate"])])));
        tokio::task::spawn_blocking(move || arrival.recv()).await.unwrap().unwrap();
        Self { open }
    }

    fn open(self) {
        drop(self.open);
    }
}
