//! What only the durable journal can promise.

use crate::sample::{claim, commit, created, owed, principal, task, told, write};
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
async fn what_was_queued_is_there_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("deep").join("data");
    let journal = open(&data).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
    }
    for number in 0..100_u64 {
        // Nobody waits for these receipts; closing does.
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
async fn what_was_acknowledged_survives_a_kill() {
    let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = JournalOptions { checkpoint_pages: 40, ..JournalOptions::default() };
    let journal = SqliteJournal::open(directory.path(), options).unwrap();
    let mut first = commit([write("a", 0, &["one"])]);
    first.outbox = vec![owed("o", "push", "a"), owed("gone", "push", "a")];
    first.claims.push(claim("k", "a"));
    journal.append(first).await.unwrap();
    for number in 1..50_u64 {
        journal.append(commit([write("a", number, &["one"])])).await.unwrap();
        assert_eq!(journal.outbox_advance("o", told(number)).await, Ok(true));
    }
    assert_eq!(journal.outbox_remove("gone").await, Ok(true));
    // What a killed process leaves behind: the file and its log, never closed, the shared index lost.
    for name in ["journal.db", "journal.db-wal"] {
        std::fs::copy(directory.path().join(name), grave.path().join(name)).unwrap();
    }
    let risen = open(grave.path()).unwrap();
    assert_eq!(risen.tail(0, 99).await.unwrap(), journal.tail(0, 99).await.unwrap());
    let orders = risen.outbox("push", &task("a")).await.unwrap();
    assert_eq!(orders, [OutboxEntry { progress: told(49), ..owed("o", "push", "a") }]);
    assert_eq!(risen.claim(&principal("local", "ann"), "k").await, Ok(Some(claim("k", "a"))));
    assert_eq!(risen.outbox_advance("gone", told(50)).await, Ok(false));
    assert_eq!(risen.append(commit([write("a", 50, &["next"])])).await, Ok(51));
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
fn a_file_that_is_no_journal_of_ours_is_refused_and_left_alone() {
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
    // Reads go on, and nothing of the failed commit is seen.
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
async fn a_failed_group_fails_whole_and_leaves_the_next_alone() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path()).unwrap();
    let mut first = commit([write("told", 0, &["one"])]);
    first.outbox = vec![owed("o", "push", "told"), owed("p", "push", "told")];
    journal.append(first).await.unwrap();
    let gate = Gate::block(&journal, "gate").await;
    journal.set_max_pages(Some(1));
    let text = "x".repeat(60_000);
    let small = journal.append(commit([write("small", 0, &["one"])]));
    let large = journal.append(commit([write("large", 0, &[&text, &text, &text, &text])]));
    let behind = journal.append(commit([write("large", 4, &["behind"])]));
    let orders = [journal.outbox_advance("o", told(1)), journal.outbox_remove("p")];
    gate.open();
    for receipt in [small, large, behind] {
        assert!(matches!(receipt.await, Err(JournalError::Unavailable(_))));
    }
    for order in orders {
        assert!(matches!(order.await, Err(JournalError::Unavailable(_))));
    }
    let stay = [owed("o", "push", "told"), owed("p", "push", "told")];
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
async fn a_dead_writer_answers() {
    struct Fatal;
    impl CommitObserver for Fatal {
        fn on_commit(&self, _: &[Arc<StoredEvent>]) {
            panic!("an observer must not panic");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path()).unwrap();
    journal.observe(Arc::new(Fatal));
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

/// An observer that keeps the writer busy until told otherwise.
struct Gate {
    open: mpsc::Sender<()>,
}

struct Waits(Mutex<(mpsc::Sender<()>, mpsc::Receiver<()>)>);

impl CommitObserver for Waits {
    fn on_commit(&self, _: &[Arc<StoredEvent>]) {
        let waits = self.0.lock();
        let _ = waits.0.send(());
        // An open gate has no sender any more, and everybody passes.
        let _ = waits.1.recv();
    }
}

impl Gate {
    /// Returns when the writer has committed this stream and waits.
    async fn block(journal: &SqliteJournal, id: &str) -> Self {
        let ((arrived, arrival), (open, opened)) = (mpsc::channel(), mpsc::channel());
        journal.observe(Arc::new(Waits(Mutex::new((arrived, opened)))));
        drop(journal.append(commit([write(id, 0, &["gate"])])));
        tokio::task::spawn_blocking(move || arrival.recv()).await.unwrap().unwrap();
        Self { open }
    }

    fn open(self) {
        drop(self.open);
    }
}
