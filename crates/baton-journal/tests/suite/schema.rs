//! Databases of every earlier schema, as they were committed, still read the same.
//!
//! `BATON_WRITE_FIXTURE=1 cargo test -p baton-journal` writes the one of the present schema; it is then committed and
//! never written again.

use crate::sample::{at, commit, created, handoff, head, moved, owed, principal, task, write};
use baton_journal::{MemoryJournal, Options, SqliteJournal};
use baton_ports::{Commit, Journal, ListQuery};
use baton_types::{Digest, HandoffId, Json, RunId, StreamId, TaskState};
use std::{path::PathBuf, sync::Arc, time::Duration};

const DEFINITION: &[u8] = b"{\"name\":\"weather\"}";

fn fixture() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-1/journal.db")
}

fn commits() -> Vec<Commit> {
    let mut first = write("t1", 0, &["What is the weather?", &"long ".repeat(14_000)]);
    first.run = Some(RunId::new("r1"));
    first.trace = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into());
    let mut child = created("t2", TaskState::Working, 1_100);
    child.snapshot = Some(Json::parse("{\"exact\":123456789012345678901234567890.10}").unwrap());
    let mut both = commit([handoff("h1"), child]);
    both.outbox.push(owed("o1", "push", 5_000));
    let mut ended = write("t1", 2, &["So it ends."]);
    ended.facts.push(moved(TaskState::Completed));
    ended.head = head(TaskState::Completed, 1_200);
    ended.principal = principal("local", "bob");
    vec![commit([first]), both, commit([ended])]
}

async fn fill(journal: &dyn Journal) {
    for commit in commits() {
        journal.append(commit).await.unwrap();
    }
    journal.put_blob(Arc::from(DEFINITION)).await.unwrap();
    journal.acquire(&task("t2"), "first process", at(2_000), Duration::from_secs(30)).await.unwrap();
}

#[tokio::test]
async fn schema_1_reads_back_exactly() {
    if std::env::var_os("BATON_WRITE_FIXTURE").is_some() {
        let directory = tempfile::tempdir().unwrap();
        let journal = SqliteJournal::open(directory.path(), Options::default()).unwrap();
        fill(&journal).await;
        drop(journal);
        std::fs::copy(directory.path().join("journal.db"), fixture()).unwrap();
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(fixture(), directory.path().join("journal.db")).unwrap();
    let journal = SqliteJournal::open(directory.path(), Options::default()).unwrap();
    let expected = MemoryJournal::new();
    fill(&expected).await;

    assert_eq!(journal.tail(0, 99).await.unwrap(), expected.tail(0, 99).await.unwrap());
    assert_eq!(journal.active(None, 99).await, expected.active(None, 99).await);
    assert_eq!(journal.outbox_due("push", at(9_999), 9).await, expected.outbox_due("push", at(9_999), 9).await);
    for stream in [task("t1"), task("t2"), StreamId::Handoff(HandoffId::new("h1"))] {
        let (ours, theirs) = (journal.load(None, &stream).await.unwrap(), expected.load(None, &stream).await.unwrap());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }
    let page = journal.list(&principal("local", "ann"), &ListQuery::tasks(9)).await.unwrap();
    assert_eq!(page.total, 2);
    assert_eq!(journal.blob(&Digest::of(DEFINITION)).await.unwrap().as_deref(), Some(DEFINITION));
    let (holder, later) = ("second process", at(2_001));
    assert!(journal.acquire(&task("t2"), holder, later, Duration::ZERO).await.is_err());
}
