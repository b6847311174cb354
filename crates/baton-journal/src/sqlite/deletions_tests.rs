use super::*;
use crate::{
    SqliteJournal,
    sqlite::{
        append, claims,
        encode::EncodedCommit,
        job::WriterJob,
        open::{AbsentJournal, JournalOptions, open_writer},
        retain,
    },
};
use baton_ports::{Commit, ConversationQuery, Journal as _, StreamHeadUpdate, Write};
use baton_types::{JournalEvent, Json, TaskEvent, TaskId, TaskState, Timestamp};
use std::{path::Path, sync::Arc};

fn principal() -> Principal {
    Principal { tenant: "local".into(), subject: "ann".into(), scopes: Vec::new() }
}

fn conversation_key(context: &str) -> ConversationKey {
    ConversationKey { principal: principal(), agent: "weather".into(), context: context.into() }
}

/// An ended task with this many events.
fn ended(id: &str, context: &str, events: usize) -> Commit {
    let state = TaskState::Completed;
    let fact = JournalEvent::Task(TaskEvent::StatusChanged { state, message: None, reason: None });
    let at = Timestamp::from_millis(1_000);
    let head = StreamHeadUpdate {
        agent: "weather".into(),
        context: context.into(),
        state: state.as_str(),
        status_at: at,
        active: false,
        terminal: true,
    };
    Commit::from_writes(vec![Write {
        stream: StreamId::Task(TaskId::new(id)),
        expected_version: 0,
        epoch: 1,
        principal: Arc::new(principal()),
        run: None,
        trace: None,
        at,
        facts: vec![fact; events],
        head,
        snapshot: Some(Json::string("folded")),
    }])
}

fn writer(directory: &Path) -> JournalWriter {
    let connection = open_writer(&directory.join("journal.db"), AbsentJournal::Create).unwrap();
    JournalWriter::new(connection, &JournalOptions::default()).unwrap()
}

/// Commits a group as the writer's thread does.
fn commit(writer: &mut JournalWriter, mut jobs: Vec<WriterJob>) {
    writer.commit(&mut jobs).unwrap();
    writer.start_deletions();
    for job in jobs {
        match job {
            WriterJob::DeleteConversation(key, asked) => writer.reply_when_deleted(&key, asked),
            job => job.settle(None),
        }
    }
}

fn append(commit: Commit) -> WriterJob {
    WriterJob::Append(EncodedCommit::new(commit).unwrap(), PendingReply::new().0)
}

fn count(writer: &JournalWriter, sql: &str) -> i64 {
    writer.connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// 300 tasks of one event and one of 2,500 in a conversation, and 40 in another.
fn fill(writer: &mut JournalWriter) {
    let mut jobs: Vec<WriterJob> = (0..300).map(|number| append(ended(&format!("g{number}"), "gone", 1))).collect();
    jobs.push(append(ended("long", "gone", 2_500)));
    jobs.extend((0..40).map(|number| append(ended(&format!("k{number}"), "kept", 1))));
    commit(writer, jobs);
}

fn mark(writer: &mut JournalWriter, context: &str) {
    commit(writer, vec![WriterJob::DeleteConversation(conversation_key(context), PendingReply::new().0)]);
}

#[test]
fn no_statement_of_the_writer_scans_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let writer = writer(directory.path());
    let statements = [
        FIND_UNFINISHED,
        FIND_ENDED,
        ADD,
        REMOVE,
        NEXT_STREAMS,
        LAST_OF_BATCH,
        REMOVE_EVENTS,
        BLOBS_OF_BATCH,
        IS_COVERED,
        append::FIND_STREAM,
        claims::FIND_CLAIM_STREAM,
        retain::FIND_REMOVABLE,
        retain::FORGET_EVENTS,
        retain::SWEEP,
    ];
    for sql in statements.into_iter().chain(retain::FORGET_REST) {
        let mut explain = writer.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        for parameter in 1..=explain.parameter_count() {
            explain.raw_bind_parameter(parameter, 1).unwrap();
        }
        let mut rows = explain.raw_query();
        let mut plan = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            plan.push(row.get::<_, String>("detail").unwrap());
        }
        assert!(!plan.iter().any(|step| step.starts_with("SCAN") && !step.contains("CONSTANT")), "{sql}: {plan:?}");
        if [FIND_UNFINISHED, FIND_ENDED, NEXT_STREAMS].contains(&sql) {
            assert!(plan.iter().all(|step| step.contains("streams_of_conversation (owner=? AND agent=?")), "{plan:?}");
        }
    }
}

#[test]
fn rows_are_deleted_in_bounded_batches_between_commits() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = writer(directory.path());
    fill(&mut writer);
    let all = count(&writer, "SELECT count(*) FROM events");
    mark(&mut writer, "gone");
    assert_eq!(count(&writer, "SELECT count(*) FROM events"), all, "marking removes nothing");
    let (mut batches, mut streams, mut events) = (0, 0, 0);
    while writer.is_deleting() {
        let batch = writer.delete_batch().unwrap();
        assert!(batch.streams <= MAX_BATCH_STREAMS as u64 && batch.events <= MAX_BATCH_EVENTS, "{batch:?}");
        batches += 1;
        streams += batch.streams;
        events += batch.events;
        // A commit between two batches in the same conversation belongs to a new one and stays.
        commit(&mut writer, vec![append(ended(&format!("new{batches}"), "gone", 1))]);
    }
    assert_eq!((streams, events), (301, 2_800));
    assert!((5..=7).contains(&batches), "{batches}");
    assert_eq!(count(&writer, "SELECT count(*) FROM streams"), 40 + batches);
    assert_eq!(count(&writer, "SELECT count(*) FROM events"), 40 + batches);
    assert_eq!(count(&writer, "SELECT count(*) FROM snapshots"), 40 + batches);
    assert_eq!(count(&writer, "SELECT count(*) FROM deletions"), 0);
}

#[tokio::test]
async fn conversation_stays_deleted_after_a_crash_between_batches() {
    let all = ConversationQuery { limit: 9, ..ConversationQuery::default() };
    for batches in 0..4 {
        let directory = tempfile::tempdir().unwrap();
        let mut dying = writer(directory.path());
        fill(&mut dying);
        mark(&mut dying, "gone");
        for _ in 0..batches {
            dying.delete_batch().unwrap();
        }
        assert!(count(&dying, "SELECT count(*) FROM streams WHERE context = 'gone'") > 0);
        drop(dying);
        let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
        let found = journal.conversations(&principal(), &all).await.unwrap();
        assert_eq!(found.total, 1, "after {batches} batches");
        assert_eq!(found.conversations[0].context.as_str(), "kept");
        for id in ["g299", "long"] {
            let stream = StreamId::Task(TaskId::new(id));
            assert!(journal.load(None, &stream).await.unwrap().is_none(), "{id}");
            assert!(journal.events(&stream, 0, 9).await.unwrap().is_empty(), "{id}");
        }
        let tail = journal.tail(0, 9_999).await.unwrap();
        assert_eq!(tail.len(), 40, "after {batches} batches");
        // The id can be reused, whether its old rows are deleted or not.
        journal.append(ended("long", "gone", 1)).await.unwrap();
        assert_eq!(journal.load(None, &StreamId::Task(TaskId::new("long"))).await.unwrap().unwrap().head.version, 1);
        // A repeated request waits for the remaining work.
        let key = conversation_key("gone");
        assert!(journal.delete_conversation(&key.principal, &key.agent, &key.context).await.is_ok());
        journal.close();
        let writer = writer(directory.path());
        for table in ["streams", "events", "snapshots"] {
            assert_eq!(count(&writer, &format!("SELECT count(*) FROM {table}")), 40, "{table}");
        }
        assert_eq!(count(&writer, "SELECT count(*) FROM deletions"), 0);
    }
}
