//! Conversations: listing and deletion.

use crate::sample::{
    at, claim, commit, created, handoff, message_event, outbox_entry, principal, session, task, write,
};
use baton_journal::{JournalOptions, SqliteJournal};
use baton_ports::{
    ConversationQuery, ConversationSummary, DeleteOutcome, Journal, JournalError, RetentionPolicy, Write,
};
use baton_types::{AgentName, ContextId, Json, Principal, TaskState};
use std::sync::Arc;

fn in_context(context: &str, mut write: Write) -> Write {
    write.head.context = ContextId::new(context);
    write
}

fn owned_by(owner: &Arc<Principal>, mut write: Write) -> Write {
    write.principal = Arc::clone(owner);
    write
}

fn by_agent(agent: &str, mut write: Write) -> Write {
    write.head.agent = AgentName::new(agent);
    write
}

pub(crate) async fn conversation_consists_of_its_tasks_and_session_events(journal: &dyn Journal) {
    let (ann, bob) = (principal("local", "ann"), principal("local", "bob"));
    for write in [
        in_context("old", created("a", TaskState::Completed, 10)),
        in_context("old", created("b", TaskState::Working, 30)),
        in_context("named", session("s1", 20)),
        in_context("new", created("c", TaskState::Completed, 40)),
        in_context("new", session("s2", 15)),
        // The same context with another agent or another owner is another conversation.
        by_agent("news", in_context("new", created("d", TaskState::Failed, 40))),
        owned_by(&bob, in_context("new", created("e", TaskState::Completed, 50))),
        // A handoff record alone is not a conversation.
        in_context("handed", handoff("h")),
    ] {
        journal.append(commit([write])).await.unwrap();
    }
    let one = |agent: &str, context: &str, tasks, unfinished, last_at| ConversationSummary {
        agent: agent.into(),
        context: context.into(),
        tasks,
        unfinished,
        began_at: at(1_000),
        last_at: at(last_at),
    };
    let expect = vec![
        one("weather", "new", 1, 0, 40),
        one("news", "new", 1, 0, 40),
        one("weather", "old", 2, 1, 30),
        one("weather", "named", 0, 0, 20),
    ];
    for limit in 1..=5 {
        let (mut after, mut found) = (None, Vec::new());
        loop {
            let query = ConversationQuery { after: after.take(), limit, ..ConversationQuery::default() };
            let page = journal.conversations(&ann, &query).await.unwrap();
            assert_eq!(page.total, 4);
            assert!(page.conversations.len() <= limit);
            found.extend(page.conversations);
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        assert_eq!(found, expect, "pages of {limit}");
    }
    let agent = ConversationQuery { agent: Some("news".into()), limit: 9, ..ConversationQuery::default() };
    assert_eq!(journal.conversations(&ann, &agent).await.unwrap().conversations, expect[1..2]);
    let context = ConversationQuery { context: Some("new".into()), limit: 9, ..ConversationQuery::default() };
    assert_eq!(journal.conversations(&ann, &context).await.unwrap().conversations, expect[..2]);
    assert_eq!(journal.conversations(&bob, &context).await.unwrap().total, 1);
    assert_eq!(journal.conversations(&principal("other", "ann"), &context).await.unwrap().total, 0);
}

pub(crate) async fn conversation_is_deleted_completely_or_not_at_all(journal: &dyn Journal) {
    let (ann, bob) = (principal("local", "ann"), principal("local", "bob"));
    let long = "x".repeat(70_000);
    let mut first = commit([in_context("gone", created("a", TaskState::Completed, 10))]);
    first.writes[0].snapshot = Some(Json::string(&long));
    first.writes[0].facts.push(message_event(&long));
    first.claims.push(claim("key", "a"));
    first.outbox.push(outbox_entry("a-1", "push", "a"));
    journal.append(first).await.unwrap();
    for write in [
        in_context("gone", created("b", TaskState::InputRequired, 20)),
        in_context("gone", session("s1", 20)),
        // The sender has yet to record the outcome of the handoff.
        in_context("gone", handoff("h")),
        in_context("kept", created("c", TaskState::Completed, 30)),
        by_agent("news", in_context("gone", created("d", TaskState::Completed, 30))),
        owned_by(&bob, in_context("gone", created("e", TaskState::Completed, 30))),
    ] {
        journal.append(commit([write])).await.unwrap();
    }
    let (weather, gone) = (AgentName::new("weather"), ContextId::new("gone"));
    let left = async || {
        let mut left = Vec::new();
        for stream in
            [task("a"), task("b"), session("s1", 0).stream, task("c"), task("d"), task("e"), handoff("h").stream]
        {
            left.push(journal.load(None, &stream).await.unwrap().is_some());
        }
        left
    };

    // A task waits for an answer.
    assert_eq!(journal.delete_conversation(&ann, &weather, &gone).await, Ok(DeleteOutcome::Unfinished(task("b"))));
    assert_eq!(left().await, [true; 7]);
    assert_eq!(journal.outbox("push", &task("a")).await.unwrap().len(), 1);
    let mut ends = in_context("gone", created("b", TaskState::Canceled, 40));
    ends.expected_version = 1;
    journal.append(commit([ends])).await.unwrap();

    for (principal, agent, context) in
        [(&ann, "weather", "elsewhere"), (&ann, "nobody", "gone"), (&principal("other", "ann"), "weather", "gone")]
    {
        let none = journal.delete_conversation(principal, &agent.into(), &context.into()).await;
        assert_eq!(none, Ok(DeleteOutcome::Deleted(0)), "{agent} {context}");
    }
    assert_eq!(journal.delete_conversation(&ann, &weather, &gone).await, Ok(DeleteOutcome::Deleted(3)));
    assert_eq!(left().await, [false, false, false, true, true, true, true]);
    assert!(journal.events(&task("a"), 0, 9).await.unwrap().is_empty());
    assert!(journal.outbox("push", &task("a")).await.unwrap().is_empty());
    assert_eq!(journal.claim(&ann, "key").await, Ok(None));
    assert_eq!(journal.delete_conversation(&ann, &weather, &gone).await, Ok(DeleteOutcome::Deleted(0)));

    // Late writes with an old version fail, and sequence numbers are not reused.
    let late = write("a", 2, &["late"]);
    assert!(matches!(journal.append(commit([late])).await, Err(JournalError::Conflict { actual: 0, .. })));
    assert_eq!(journal.append(commit([in_context("gone", write("f", 0, &["anew"]))])).await, Ok(10));
}

pub(crate) async fn session_events_are_deleted_after_the_last_task(journal: &dyn Journal) {
    let named = in_context("c", session("s1", 5));
    let task_of_it = in_context("c", created("a", TaskState::Completed, 20));
    let bare = in_context("d", session("s2", 5));
    journal.append(commit([named.clone(), task_of_it, bare.clone()])).await.unwrap();
    let left = async |write: &Write| journal.load(None, &write.stream).await.unwrap().is_some();
    let before = |moment| RetentionPolicy { ended_before: Some(at(moment)), ..RetentionPolicy::default() };
    assert_eq!(journal.apply_retention(before(10)).await, Ok(1));
    assert_eq!((left(&named).await, left(&bare).await), (true, false));
    assert_eq!(journal.apply_retention(before(30)).await, Ok(1), "the task is deleted first");
    assert!(left(&named).await);
    assert_eq!(journal.apply_retention(before(30)).await, Ok(1));
    assert!(!left(&named).await);
}

/// A deletion that a full disk or a crash interrupts is invisible at once and finished later.
#[tokio::test]
async fn failed_deletion_is_finished_later() {
    let directory = tempfile::tempdir().unwrap();
    let long = "y".repeat(200_000);
    {
        let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
        for id in ["a", "b", "c"] {
            let mut write = in_context("gone", created(id, TaskState::Completed, 10));
            write.facts.push(message_event(&long));
            journal.append(commit([write])).await.unwrap();
        }
    }
    // The trigger simulates any failure in the middle of the transaction.
    let file = directory.path().join("journal.db");
    let database = open_database(&file);
    database
        .execute_batch(
            "CREATE TRIGGER halfway BEFORE DELETE ON streams WHEN old.id = 'b' \
             BEGIN SELECT RAISE(ABORT, 'no room'); END",
        )
        .unwrap();
    let ann = principal("local", "ann");
    let (weather, gone) = ("weather".into(), "gone".into());
    {
        let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
        assert!(matches!(journal.delete_conversation(&ann, &weather, &gone).await, Err(JournalError::Unavailable(_))));
        for id in ["a", "b", "c"] {
            assert!(journal.events(&task(id), 0, 9).await.unwrap().is_empty(), "{id}");
        }
        assert_eq!(journal.append(commit([in_context("other", write("d", 0, &["anew"]))])).await, Ok(7));
        assert!(journal.healthy(), "other work continues");
    }
    let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    let rows = database.query_row("SELECT count(*) FROM streams WHERE context = 'gone'", [], count).unwrap();
    assert_eq!(rows, 3, "a batch is rolled back completely");
    database.execute_batch("DROP TRIGGER halfway").unwrap();
    drop(database);
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    // The writer has started by itself; this waits for it.
    assert!(matches!(journal.delete_conversation(&ann, &weather, &gone).await, Ok(DeleteOutcome::Deleted(_))));
    let all = ConversationQuery { limit: 9, ..ConversationQuery::default() };
    assert_eq!(journal.conversations(&ann, &all).await.unwrap().total, 1);
    journal.close();
    let rows = open_database(&file).query_row("SELECT count(*) FROM streams", [], count).unwrap();
    assert_eq!(rows, 1);
    let blobs = open_database(&file).query_row("SELECT count(*) FROM blobs", [], count).unwrap();
    assert_eq!(blobs, 0, "blobs are deleted with the last event that has them");
}

#[expect(clippy::disallowed_methods, reason = "what happens to the file without the journal's doing")]
fn open_database(file: &std::path::Path) -> rusqlite::Connection {
    rusqlite::Connection::open(file).unwrap()
}
