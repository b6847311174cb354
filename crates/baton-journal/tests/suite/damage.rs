//! Rows that cannot be decoded: named, left out, and moved aside by a repair with all their bytes.

use crate::{
    sample::{claim, commit, created, owed, principal, session, task, write},
    tokens::token,
};
use baton_journal::{AbsentJournal, DirectoryLock, JournalOptions, SqliteJournal, repair};
use baton_ports::{ConversationQuery, Journal, JournalError, StreamQuery, TokenStore as _};
use baton_types::{ErrorCode, TaskState};
use std::{fs, path::Path};

fn open(directory: &Path) -> SqliteJournal {
    SqliteJournal::open(directory, JournalOptions::default()).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "what happens to the file without the journal's doing")]
fn behind_its_back(directory: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(directory.join("journal.db")).unwrap()
}

/// Three tasks, the second of which has something that nobody ever wrote.
async fn damaged(directory: &Path, sql: &str) {
    let journal = open(directory);
    for (id, moment) in [("a", 10), ("b", 20), ("c", 30)] {
        let mut first = commit([created(id, TaskState::Working, moment)]);
        first.outbox.push(owed(&format!("o-{id}"), "push", id));
        first.claims.push(claim(&format!("k-{id}"), id));
        journal.append(first).await.unwrap();
        journal.append(commit([write(id, 1, &["one", &"long ".repeat(14_000)])])).await.unwrap();
    }
    journal.append(commit([session("s", 5)])).await.unwrap();
    for id in ["t1", "t2"] {
        journal.put_token(token(id, 1_000)).await.unwrap();
    }
    journal.close();
    let changed = behind_its_back(directory).execute(sql, []).unwrap();
    assert_eq!(changed, 1, "{sql}");
}

const HARM: [(&str, &str); 8] = [
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
    for (name, sql) in HARM {
        let directory = tempfile::tempdir().unwrap();
        damaged(directory.path(), sql).await;
        let journal = open(directory.path());
        let ann = principal("local", "ann");
        let page = journal.list(&ann, &StreamQuery::tasks(9)).await.unwrap();
        let ids: Vec<&str> = page.heads.iter().map(|head| head.stream.id()).collect();
        assert!(ids.contains(&"a") && ids.contains(&"c"), "{name}: {ids:?}");
        let error = journal.load(Some(&ann), &task("b")).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::RECORD_DAMAGED, "{name}: {error}");
        assert!(error.to_string().contains("task b"), "{name}: {error}");
        for id in ["a", "c"] {
            assert_eq!(journal.load(Some(&ann), &task(id)).await.unwrap().unwrap().events.len(), 3, "{name}");
        }
        // Whoever follows the journal gets by, page by page, even when a page has nothing else.
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
async fn a_repair_moves_the_stream_aside_with_all_its_bytes() {
    for (name, sql) in HARM {
        let directory = tempfile::tempdir().unwrap();
        damaged(directory.path(), sql).await;
        let lock = DirectoryLock::acquire(directory.path()).unwrap();
        let done = repair(&lock).unwrap();
        assert!(done.faults.is_empty(), "{name}: {:?}", done.faults);
        let names: Vec<&str> = done.quarantined.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["task b"], "{name}");
        assert_eq!((done.streams, done.events), (4, 10), "{name}");
        assert_eq!(repair(&lock).unwrap().quarantined, [], "{name}: once is enough");
        let database = behind_its_back(directory.path());
        let kept: i64 = database.query_row("SELECT sum(length(bytes)) FROM quarantine", [], |row| row.get(0)).unwrap();
        assert!(kept > 70_000 || name == "blob", "{name}: {kept}");
        let rows: i64 = database.query_row("SELECT count(*) FROM quarantine", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1 + 3 + 1 + 1, "{name}: the stream, its events, its order and its claim");
        drop((database, lock));
        let journal = open(directory.path());
        assert_eq!(journal.load(None, &task("b")).await.unwrap().map(|found| found.head), None, "{name}");
        assert_eq!(journal.tail(0, 99).await.unwrap().len(), 7, "{name}");
        assert_eq!(journal.list(&principal("local", "ann"), &StreamQuery::tasks(9)).await.unwrap().total, 2, "{name}");
        assert_eq!(journal.append(commit([write("d", 0, &["goes on"])])).await, Ok(11), "{name}: no number twice");
    }
}

#[tokio::test]
async fn what_can_be_made_anew_or_done_without_hides_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    damaged(directory.path(), "UPDATE tokens SET scopes = '[' WHERE id = 't1'").await;
    let database = behind_its_back(directory.path());
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
async fn a_journal_that_is_gone_is_not_replaced_when_it_belongs_to_other_data() {
    for harm in ["missing", "empty", "without its log"] {
        let (directory, grave) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let journal = open(directory.path());
        journal.append(commit([write("a", 0, &["one"])])).await.unwrap();
        // As a killed process leaves it: everything is in the log.
        for name in ["journal.db", "journal.db-wal"] {
            fs::copy(directory.path().join(name), grave.path().join(name)).unwrap();
        }
        let lost = match harm {
            "missing" => fs::remove_file(grave.path().join("journal.db")),
            "empty" => fs::write(grave.path().join("journal.db"), b""),
            _ => fs::remove_file(grave.path().join("journal.db-wal")),
        };
        lost.unwrap();
        let before = fs::read(grave.path().join("journal.db-wal")).ok();
        let refused = SqliteJournal::open(
            grave.path(),
            JournalOptions { if_absent: AbsentJournal::Refuse, ..JournalOptions::default() },
        );
        let error = refused.err().expect("it is refused");
        assert!(matches!(error, JournalError::Lost(_)), "{harm}: {error}");
        assert_eq!(error.code(), ErrorCode::JOURNAL_MISSING);
        assert_eq!(fs::read(grave.path().join("journal.db-wal")).ok(), before, "{harm}: nothing is changed");
        assert!(SqliteJournal::open(grave.path(), JournalOptions::default()).is_ok(), "{harm}: unless it is asked for");
    }
}

#[tokio::test]
async fn a_file_with_damaged_pages_is_said_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    damaged(directory.path(), "UPDATE streams SET epoch = 2 WHERE id = 'b'").await;
    let file = directory.path().join("journal.db");
    let mut bytes = fs::read(&file).unwrap();
    let pages = bytes.len() / 4096;
    // Half of the pages behind the first, which says that it is a journal.
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
