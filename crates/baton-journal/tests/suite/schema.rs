//! Committed databases of every earlier schema still have the same contents, except for snapshots: the step to schema 7
//! removes them, and they are rebuilt from the events.

use crate::{
    sample::{
        at, claim, commit, created, handoff, head, open_progress, outbox_entry, principal, status_event, task, write,
    },
    tokens::token,
};
use baton_journal::{JournalOptions, MemoryJournal, SqliteJournal};
use baton_ports::{Commit, Journal, OutboxProgress, StreamQuery, TokenStore};
use baton_types::{Digest, HandoffId, Json, RunId, StreamId, TaskState};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

const DEFINITION: &[u8] = b"{\"name\":\"weather\"}";

fn fixture(schema: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/schema-{schema}/journal.db"))
}

/// Commits that every schema stores.
fn commits() -> Vec<Commit> {
    let mut first = write("t1", 0, &["What is the weather?", &"long ".repeat(14_000)]);
    first.run = Some(RunId::new("r1"));
    first.trace = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into());
    let child = created("t2", TaskState::Working, 1_100);
    let mut ended = write("t1", 2, &["So it ends."]);
    ended.facts.push(status_event(TaskState::Completed));
    ended.head = head(TaskState::Completed, 1_200);
    ended.principal = principal("local", "bob");
    vec![commit([first]), commit([handoff("h1"), child]), commit([ended])]
}

async fn fill(journal: &dyn Journal, commits: Vec<Commit>) {
    for commit in commits {
        journal.append(commit).await.unwrap();
    }
    journal.put_blob(Arc::from(DEFINITION)).await.unwrap();
    journal.acquire(&task("t2"), "first process", at(2_000), Duration::from_secs(30)).await.unwrap();
}

/// All ports of the journal in one trait.
trait Store: Journal + TokenStore {}

impl<S: Journal + TokenStore> Store for S {}

/// Additions of schema 2: outbox entries and an idempotency key.
async fn fill_2(journal: &dyn Journal) {
    let mut commits = commits();
    commits[0].claims.push(claim("k1", "t1"));
    commits[1].outbox = vec![outbox_entry("o1", "push", "t1"), outbox_entry("o2", "push", "t2")];
    fill(journal, commits).await;
    let failing = OutboxProgress { attempts: 3, failing_since: Some(at(5_000)), due_at: at(9_000), ..open_progress(1) };
    journal.outbox_advance("o1", OutboxProgress { open: false, ..open_progress(4) }).await.unwrap();
    journal.outbox_advance("o2", failing).await.unwrap();
}

/// Additions of schema 3: tokens.
async fn fill_3(journal: &dyn Store) {
    fill_2(journal).await;
    journal.put_token(token("k1", 1_000)).await.unwrap();
    journal.put_token(token("k2", 900)).await.unwrap();
}

async fn check(journal: &dyn Store, expected: &dyn Store) {
    assert_eq!(journal.tokens().await, expected.tokens().await);
    assert_eq!(journal.tail(0, 99).await.unwrap(), expected.tail(0, 99).await.unwrap());
    assert_eq!(journal.active_streams(None, 99).await, expected.active_streams(None, 99).await);
    assert_eq!(journal.outbox_open("push", None, 9).await, expected.outbox_open("push", None, 9).await);
    for stream in [task("t1"), task("t2"), StreamId::Handoff(HandoffId::new("h1"))] {
        let (ours, theirs) = (journal.load(None, &stream).await.unwrap(), expected.load(None, &stream).await.unwrap());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert_eq!(journal.outbox("push", &stream).await, expected.outbox("push", &stream).await);
    }
    let ann = principal("local", "ann");
    assert_eq!(journal.claim(&ann, "k1").await, expected.claim(&ann, "k1").await);
    let page = journal.list(&ann, &StreamQuery::tasks(9)).await.unwrap();
    assert_eq!(page.total, 2);
    assert_eq!(journal.blob(&Digest::compute(DEFINITION)).await.unwrap().as_deref(), Some(DEFINITION));
    let (holder, later) = ("second process", at(2_001));
    assert!(journal.acquire(&task("t2"), holder, later, Duration::ZERO).await.is_err());
}

/// Features that are newer than the file work in it.
async fn work_on(journal: &dyn Store) {
    let mut next = write("t2", 1, &["Go on."]);
    next.epoch = 2;
    next.snapshot = Some(Json::string("anew"));
    let mut next = commit([next]);
    next.outbox.push(outbox_entry("o3", "push", "t2"));
    next.claims.push(claim("k2", "t2"));
    assert_eq!(journal.append(next).await, Ok(7));
    assert_eq!(journal.outbox_advance("o3", open_progress(2)).await, Ok(true));
    journal.put_token(token("k3", 950)).await.unwrap();
}

/// Checks a committed file as found, after a restart, and after further writes.
async fn check_fixture(schema: u32, expected: &MemoryJournal) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(fixture(schema), directory.path().join("journal.db")).unwrap();
    let open = || SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    check(&open(), expected).await;
    let journal = open();
    check(&journal, expected).await;
    work_on(&journal).await;
    work_on(expected).await;
    drop(journal);
    check(&open(), expected).await;
}

#[tokio::test]
async fn schema_1_keeps_its_events_and_loses_its_snapshots() {
    let expected = MemoryJournal::new();
    fill(&expected, commits()).await;
    check_fixture(1, &expected).await;
}

#[tokio::test]
async fn schema_2_reads_back_exactly() {
    let expected = MemoryJournal::new();
    fill_2(&expected).await;
    check_fixture(2, &expected).await;
}

/// Schema 3 with the steps to 5 applied and a total counted: the last one before deletions in batches.
#[tokio::test]
async fn schema_5_reads_back_exactly_and_keeps_its_totals() {
    let expected = MemoryJournal::new();
    fill_3(&expected).await;
    check_fixture(5, &expected).await;
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(fixture(5), directory.path().join("journal.db")).unwrap();
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    let total = journal.tally("agent weather 2026-01").await.unwrap();
    assert_eq!((total.tokens, total.tool_calls), (7, 3));
}

#[tokio::test]
async fn schema_3_reads_back_exactly() {
    let expected = MemoryJournal::new();
    fill_3(&expected).await;
    check_fixture(3, &expected).await;
}

/// The events of a journal with the state of each stream, as text.
async fn content(directory: &Path) -> Vec<String> {
    let journal = SqliteJournal::open(directory, JournalOptions::default()).unwrap();
    let events = journal.tail(0, 999).await.unwrap();
    let streams: BTreeSet<String> = events.iter().map(|event| format!("{:?}", event.stream)).collect();
    events.iter().map(|event| format!("{event:?}")).chain(streams).collect()
}

/// A process that dies during the step to schema 7 leaves a journal of schema 6, and the next one completes the step.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "plays the process that dies within the migration")]
async fn kill_during_the_migration_loses_nothing() {
    let (undisturbed, killed, image) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let schema = |directory: &Path| {
        let connection = rusqlite::Connection::open(directory.join("journal.db")).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0)).unwrap()
    };
    for directory in [&undisturbed, &killed] {
        std::fs::copy(fixture(6), directory.path().join("journal.db")).unwrap();
    }
    let dying = rusqlite::Connection::open(killed.path().join("journal.db")).unwrap();
    // A cache of one page sends every change to the log at once, long before the commit.
    dying.execute_batch("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; PRAGMA cache_spill = 1;").unwrap();
    let script = include_str!("../../migrations/0007_event_names.sql");
    let halfway =
        format!("BEGIN IMMEDIATE; {script} CREATE TABLE ballast AS SELECT * FROM events; PRAGMA user_version = 7;");
    dying.execute_batch(&halfway).unwrap();
    for file in std::fs::read_dir(killed.path()).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), image.path().join(file.file_name())).unwrap();
    }
    drop(dying);
    let log = std::fs::metadata(image.path().join("journal.db-wal")).unwrap();
    assert!(log.len() > 0, "the image has no part of the migration");
    assert_eq!(schema(image.path()), 6);

    let expected = content(undisturbed.path()).await;
    assert!(expected.iter().any(|event| event.contains("RunOptionsSet")), "{expected:#?}");
    assert!(expected.iter().any(|event| event.contains("MessageReceived")));
    assert_eq!(content(image.path()).await, expected);
    assert_eq!((schema(image.path()), schema(undisturbed.path())), (7, 7));
}
