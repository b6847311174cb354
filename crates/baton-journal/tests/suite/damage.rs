//! Rows that cannot be decoded: reported, skipped, and quarantined unchanged by a repair.

use crate::{
    sample::{claim, commit, created, outbox_entry, principal, session, task, write},
    tokens::token,
};
use baton_journal::{AbsentJournal, DirectoryLock, JournalOptions, SqliteJournal, repair};
use baton_ports::{ConversationQuery, Journal, JournalError, StreamQuery, TokenStore as _, error_codes};
use baton_types::TaskState;
use std::{fs, path::Path};

fn open(directory: &Path) -> SqliteJournal {
    SqliteJournal::open(directory, JournalOptions::default()).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "what happens to the file without the journal's doing")]
fn open_database(directory: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(directory.join("journal.db")).unwrap()
}

/// Three tasks, the second of which has damaged data.
async fn damaged(directory: &Path, sql: &str) {
    let journal = open(directory);
    for (id, moment) in [("a", 10), ("b", 20), ("c", 30)] {
        let mut first = commit([created(id, TaskState::Working, moment)]);
        first.outbox.push(outbox_entry(&format!("o-{id}"), "push", id));
        first.claims.push(claim(&format!("k-{id}"), id));
        journal.append(first).await.unwrap();
        journal.append(commit([write(id, 1, &["one", &"long ".repeat(14_000)])])).await.unwrap();
    }
    journal.append(commit([session("s", 5)])).await.unwrap();
    for id in ["t1", "t2"] {
        journal.put_token(token(id, 1_000)).await.unwrap();
    }
    journal.close();
    let changed = open_database(directory).execute(sql, []).unwrap();
    assert_eq!(changed, 1, "{sql}");
}

const DAMAGES: [(&str, &str); 8] = [
    ("body", "UPDATE events SET body = '{\"cut' WHERE number = 2 AND stream = 2"),
    ("bytes", "UPDATE events SET body = x'ff00fe' WHERE number = 2 AND stream = 2"),
    ("kind", "UPDATE events SET kind = x'fffe' WHERE number = 2 AND stream = 2"),
    ("schema", "UPDATE events SET schema = 'x' WHERE number = 2 AND stream = 2"),
    ("blob", "UPDATE events SET blob = x'00' WHERE number = 3 AND stream = 2"),
    ("agent", "UPDATE streams SET agent = x'fffe' WHERE id = 'b'"),
    ("version", "UPDATE streams SET version = 'many' WHERE id = 'b'"),
    ("terminal", "UPDATE streams SET terminal = 'x' WHERE id = 'b'"),
];

#[tokio::test]
async fn a_damaged_row_is_named_and_the_others_are_read() {
    for (name, sql) in DAMAGES {
        let directory = tempfile::tempdir().unwrap();
        damaged(directory.path(), sql).await;
        let journal = open(directory.path());
        let ann = principal("local", "ann");
        let page = journal.list(&ann, &StreamQuery::tasks(9)).await.unwrap();
        let ids: Vec<&str> = page.heads.iter().map(|head| head.stream.id()).collect();
        assert!(ids.contains(&"a") && ids.contains(&"c"), "{name}: {ids:?}");
        let error = journal.load(Some(&ann), &task("b")).await.unwrap_err();
        assert_eq!(error.code(), error_codes::RECORD_DAMAGED, "{name}: {error}");
        assert!(error.to_string().contains("task b"), "{name}: {error}");
        for id in ["a", "c"] {
            assert_eq!(journal.load(Some(&ann), &task(id)).await.unwrap().unwrap().events.len(), 3, "{name}");
        }
        // Reading the tail continues past the damage, page by page, even if a page has nothing else.
        let (mut after, mut seen) = (0, Vec::new());
        while let Some(event) = journal.tail(after, 1).await.unwrap().pop() {
            after = event.seq;
            seen.push(event.stream.id().to_owned());
        }
        assert_eq!(seen.iter().filter(|id| *id != "b").count(), 7, "{name}: {seen:?}");
        assert!(journal.active_streams(None, 9).await.unwrap().len() >= 2, "{name}");
        assert!(journal.conversations(&ann, &ConversationQuery { limit: 9, ..Default::default() }).await.is_ok());
        assert_eq!(journal.append(commit([write("d", 0, &["goes on"])])).await, Ok(11), "{name}");
    }
}

#[tokio::test]
async fn repair_quarantines_the_stream_with_all_its_bytes() {
    for (name, sql) in DAMAGES {
        let directory = tempfile::tempdir().unwrap();
        damaged(directory.path(), sql).await;
        let lock = DirectoryLock::acquire(directory.path()).unwrap();
        let done = repair(&lock).unwrap();
        assert!(done.faults.is_empty(), "{name}: {:?}", done.faults);
        let names: Vec<&str> = done.quarantined.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["task b"], "{name}");
        assert_eq!((done.streams, done.events), (4, 10), "{name}");
        assert_eq!(repair(&lock).unwrap().quarantined, [], "{name}: a second repair finds nothing");
        let database = open_database(directory.path());
        let kept: i64 = database.query_row("SELECT sum(length(bytes)) FROM quarantine", [], |row| row.get(0)).unwrap();
        assert!(kept > 70_000 || name == "blob", "{name}: {kept}");
        let rows: i64 = database.query_row("SELECT count(*) FROM quarantine", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1 + 3 + 1 + 1, "{name}: the stream, its events, its outbox entry and its claim");
        drop((database, lock));
        let journal = open(directory.path());
        assert_eq!(journal.load(None, &task("b")).await.unwrap().map(|found| found.head), None, "{name}");
        assert_eq!(journal.tail(0, 99).await.unwrap().len(), 7, "{name}");
        assert_eq!(journal.list(&principal("local", "ann"), &StreamQuery::tasks(9)).await.unwrap().total, 2, "{name}");
        assert_eq!(
            journal.append(commit([write("d", 0, &["goes on"])])).await,
            Ok(11),
            "{name}: sequence numbers are not reused"
        );
    }
}

#[tokio::test]
async fn damaged_snapshots_entries_and_tokens_hide_no_other_rows() {
    let directory = tempfile::tempdir().unwrap();
    damaged(directory.path(), "UPDATE tokens SET scopes = '[' WHERE id = 't1'").await;
    let database = open_database(directory.path());
    assert_eq!(database.execute("UPDATE outbox SET body = '{' WHERE id = 'o-a'", []).unwrap(), 1);
    let snapshot = "INSERT INTO snapshots (stream, version, state) VALUES (1, 2, '{')";
    assert_eq!(database.execute(snapshot, []).unwrap(), 1);
    drop(database);
    let journal = open(directory.path());
    assert_eq!(journal.load(None, &task("a")).await.unwrap().unwrap().events.len(), 3, "folded from the beginning");
    let orders = journal.outbox_open("push", None, 9).await.unwrap();
    assert_eq!(orders.iter().map(|order| order.id.as_str()).collect::<Vec<_>>(), ["o-b", "o-c"]);
    let tokens = journal.tokens().await.unwrap();
    assert_eq!(tokens.iter().map(|token| token.id.as_str()).collect::<Vec<_>>(), ["t2"]);
    journal.close();
    let done = repair(&DirectoryLock::acquire(directory.path()).unwrap()).unwrap();
    let names: Vec<&str> = done.quarantined.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["snapshot of task a"]);
}

#[tokio::test]
async fn missing_journal_of_existing_data_is_not_replaced() {
    for harm in ["missing", "empty", "without its log"] {
        let (directory, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let journal = open(directory.path());
        journal.append(commit([write("a", 0, &["one"])])).await.unwrap();
        // As after a kill: all commits are in the write-ahead log.
        for name in ["journal.db", "journal.db-wal"] {
            fs::copy(directory.path().join(name), copy.path().join(name)).unwrap();
        }
        let lost = match harm {
            "missing" => fs::remove_file(copy.path().join("journal.db")),
            "empty" => fs::write(copy.path().join("journal.db"), b""),
            _ => fs::remove_file(copy.path().join("journal.db-wal")),
        };
        lost.unwrap();
        let before = fs::read(copy.path().join("journal.db-wal")).ok();
        let refused = SqliteJournal::open(
            copy.path(),
            JournalOptions { if_absent: AbsentJournal::Refuse, ..JournalOptions::default() },
        );
        let error = refused.err().expect("opening is refused");
        assert!(matches!(error, JournalError::Lost(_)), "{harm}: {error}");
        assert_eq!(error.code(), error_codes::JOURNAL_MISSING);
        assert_eq!(fs::read(copy.path().join("journal.db-wal")).ok(), before, "{harm}: nothing is changed");
        assert!(
            SqliteJournal::open(copy.path(), JournalOptions::default()).is_ok(),
            "{harm}: a new journal can be requested"
        );
    }
}

#[tokio::test]
async fn damaged_pages_are_reported_and_left_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    damaged(directory.path(), "UPDATE streams SET epoch = 2 WHERE id = 'b'").await;
    let file = directory.path().join("journal.db");
    let mut bytes = fs::read(&file).unwrap();
    let pages = bytes.len() / 4096;
    // The second half of the pages; the first page identifies the file as a journal.
    for page in (pages / 2)..pages {
        bytes[page * 4096..page * 4096 + 64].fill(0xEE);
    }
    fs::write(&file, &bytes).unwrap();
    let lock = DirectoryLock::acquire(directory.path()).unwrap();
    match repair(&lock) {
        Ok(done) => assert!(!done.faults.is_empty() && done.quarantined.is_empty(), "{done:?}"),
        Err(error) => assert!(matches!(error, JournalError::Corrupt(_)), "{error}"),
    }
}
