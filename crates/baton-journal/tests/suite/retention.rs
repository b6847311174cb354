//! Retention.

use crate::sample::{
    at, claim, commit, created, handoff, head, message_event, open_progress, outbox_entry, principal, task, write,
};
use baton_ports::{Commit, Journal, JournalError, OutboxProgress, RetentionPolicy};
use baton_types::{Json, TaskState};
use std::sync::Arc;

pub(crate) async fn only_ended_streams_are_deleted(journal: &dyn Journal) {
    let long = "x".repeat(70_000);
    for (id, state, status_at) in [
        ("working", TaskState::Working, 1),
        ("waiting", TaskState::InputRequired, 1),
        ("old", TaskState::Completed, 10),
        ("mid", TaskState::Failed, 20),
        ("new", TaskState::Canceled, 30),
    ] {
        let mut write = created(id, state, status_at);
        write.facts.push(message_event(&long));
        write.snapshot = Some(Json::string(&long));
        journal.append(commit([write])).await.unwrap();
    }
    let pinned = journal.put_blob(Arc::from(&b"definition"[..])).await.unwrap();
    let policy = |ended_before: Option<i64>, keep_ended| RetentionPolicy {
        ended_before: ended_before.map(at),
        keep_ended,
        keep_since: None,
    };

    assert_eq!(journal.apply_retention(RetentionPolicy::default()).await, Ok(0));
    assert_eq!(journal.apply_retention(policy(Some(10), Some(3))).await, Ok(0));
    assert_eq!(journal.apply_retention(policy(Some(11), None)).await, Ok(1));
    assert!(journal.load(None, &task("old")).await.unwrap().is_none());
    assert!(journal.events(&task("old"), 0, 9).await.unwrap().is_empty());
    assert_eq!(journal.apply_retention(policy(None, Some(1))).await, Ok(1));
    assert!(journal.load(None, &task("mid")).await.unwrap().is_none());
    let spared = RetentionPolicy { keep_since: Some(at(30)), ..policy(Some(1_000), Some(0)) };
    assert_eq!(journal.apply_retention(spared).await, Ok(0), "a recently ended stream is kept");
    assert_eq!(journal.apply_retention(policy(Some(1_000), Some(0))).await, Ok(1));
    assert_eq!(journal.apply_retention(policy(Some(1_000), Some(0))).await, Ok(0));

    // The remaining streams are complete, although others shared their long body.
    for id in ["working", "waiting"] {
        let loaded = journal.load(None, &task(id)).await.unwrap().unwrap();
        assert_eq!(loaded.snapshot.unwrap().state, Json::string(&long));
        assert_eq!(journal.events(&task(id), 1, 9).await.unwrap()[0].fact, message_event(&long));
    }
    assert!(journal.blob(&pinned).await.unwrap().is_some());
    // The newest events are deleted, and their sequence numbers are not reused.
    assert_eq!(journal.append(commit([write("fresh", 0, &["one"])])).await, Ok(11));
    assert_eq!(journal.tail(0, 99).await.unwrap().len(), 5);

    // Handoffs are deleted with the tasks of their age, and do not count towards the kept tasks.
    journal.append(commit([created("last", TaskState::Completed, 50)])).await.unwrap();
    for (id, status_at) in [("before", 45), ("after", 55), ("later", 60)] {
        let mut ended = handoff(id);
        ended.head = head(TaskState::Completed, status_at);
        journal.append(commit([ended])).await.unwrap();
    }
    assert_eq!(journal.apply_retention(policy(None, Some(2))).await, Ok(0));
    assert_eq!(journal.apply_retention(policy(None, Some(1))).await, Ok(1));
    let left = async |id: &str| journal.load(None, &handoff(id).stream).await.unwrap().is_some();
    assert_eq!((left("before").await, left("after").await, left("later").await), (false, true, true));
    assert!(journal.load(None, &task("last")).await.unwrap().is_some());
}

pub(crate) async fn open_outbox_entry_keeps_its_stream(journal: &dyn Journal) {
    let ann = principal("local", "ann");
    for id in ["owes", "told", "silent", "working"] {
        let state = if id == "working" { TaskState::Working } else { TaskState::Completed };
        let mut commit = commit([created(id, state, 10)]);
        commit.claims.push(claim(id, id));
        if id != "silent" {
            commit.outbox.push(outbox_entry(&format!("{id}-1"), "push", id));
            commit.outbox.push(outbox_entry(&format!("{id}-2"), "push", id));
        }
        journal.append(commit).await.unwrap();
    }
    let closed = OutboxProgress { open: false, ..open_progress(1) };
    for id in ["told-1", "told-2", "owes-1"] {
        assert_eq!(journal.outbox_advance(id, closed.clone()).await, Ok(true));
    }
    let everything = RetentionPolicy { ended_before: Some(at(1_000)), keep_ended: Some(0), keep_since: None };
    assert_eq!(journal.apply_retention(everything.clone()).await, Ok(2));

    let left = async |id: &str| {
        let stream = journal.load(None, &task(id)).await.unwrap().is_some();
        let orders = journal.outbox("push", &task(id)).await.unwrap().len();
        (stream, orders, journal.claim(&ann, id).await.unwrap().is_some())
    };
    assert_eq!((left("told").await, left("silent").await), ((false, 0, false), (false, 0, false)));
    assert_eq!((left("owes").await, left("working").await), ((true, 2, true), (true, 2, true)));
    // Late progress does not restore a deleted entry, and its key can be claimed again.
    assert_eq!(journal.outbox_advance("told-1", closed.clone()).await, Ok(false));
    let late = Commit { outbox: vec![outbox_entry("told-1", "push", "told")], ..Commit::default() };
    assert_eq!(journal.append(late).await, Err(JournalError::Missing { stream: task("told") }));
    let mut anew = commit([write("anew", 0, &["one"])]);
    anew.claims.push(claim("told", "anew"));
    journal.append(anew).await.unwrap();

    assert_eq!(journal.outbox_advance("owes-2", closed).await, Ok(true));
    assert_eq!(journal.apply_retention(everything).await, Ok(1));
    assert_eq!((left("owes").await, left("working").await), ((false, 0, false), (true, 2, true)));
    assert_eq!(journal.claim(&ann, "told").await, Ok(Some(claim("told", "anew"))));
}
