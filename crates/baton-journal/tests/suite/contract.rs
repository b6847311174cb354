//! Contracts of every journal.

use crate::sample::{at, claim, commit, created, handoff, message_event, outbox_entry, principal, task, write};
use baton_ports::{Journal, JournalError, Snapshot, StoredEvent};
use baton_types::{Digest, Json, RunId, TaskState};
use std::{sync::Arc, time::Duration};

const MINUTE: Duration = Duration::from_secs(60);

pub(crate) async fn versions_are_checked_and_events_round_trip(journal: &dyn Journal) {
    let mut first = write("a", 0, &["one", "two"]);
    first.run = Some(RunId::new("r1"));
    first.trace = Some("00-trace".into());
    assert_eq!(journal.append(commit([first])).await, Ok(2));

    let conflict = |expected, actual| Err(JournalError::Conflict { stream: task("a"), expected, actual });
    assert_eq!(journal.append(commit([write("a", 0, &["again"])])).await, conflict(0, 2));
    assert_eq!(journal.append(commit([write("a", 1, &["late"])])).await, conflict(1, 2));
    assert_eq!(journal.append(commit([write("a", 3, &["early"])])).await, conflict(3, 2));
    let missing = JournalError::Conflict { stream: task("b"), expected: 3, actual: 0 };
    assert_eq!(journal.append(commit([write("b", 3, &["nowhere"])])).await, Err(missing));
    assert!(matches!(journal.append(commit([write("c", 0, &[])])).await, Err(JournalError::Unavailable(_))));

    assert_eq!(journal.append(commit([write("a", 2, &["three"])])).await, Ok(3));
    let event = |number: u64, text: &str| StoredEvent {
        seq: number,
        stream: task("a"),
        number,
        run: None,
        epoch: 1,
        at: at(1_000),
        subject: "ann".into(),
        trace: None,
        fact: message_event(text),
    };
    let in_run = |event| StoredEvent { run: Some(RunId::new("r1")), trace: Some("00-trace".into()), ..event };
    let expected = [in_run(event(1, "one")), in_run(event(2, "two")), event(3, "three")].map(Arc::new);
    assert_eq!(journal.events(&task("a"), 0, 10).await.unwrap(), expected);
    assert_eq!(journal.events(&task("a"), 1, 1).await.unwrap(), expected[1..2]);
    assert_eq!(journal.events(&task("a"), 3, 10).await.unwrap(), []);
    assert_eq!(journal.events(&task("b"), 0, 10).await.unwrap(), []);
}

pub(crate) async fn a_commit_is_written_whole_or_not_at_all(journal: &dyn Journal) {
    journal.append(commit([write("a", 0, &["one"])])).await.unwrap();
    let mut torn = commit([write("b", 0, &["new"]), write("a", 7, &["wrong"])]);
    torn.outbox.push(outbox_entry("o1", "push", "a"));
    torn.claims.push(claim("k1", "b"));
    assert!(matches!(journal.append(torn).await, Err(JournalError::Conflict { .. })));
    assert!(journal.load(None, &task("b")).await.unwrap().is_none());
    assert!(journal.outbox("push", &task("a")).await.unwrap().is_empty());
    assert_eq!(journal.claim(&principal("local", "ann"), "k1").await, Ok(None));

    // A later write of the same commit expects the version of the earlier one.
    let mut whole = commit([write("b", 0, &["new"]), handoff("h"), write("a", 1, &["two"]), write("b", 1, &["more"])]);
    whole.outbox.push(outbox_entry("o1", "push", "b"));
    whole.claims.push(claim("k1", "b"));
    assert_eq!(journal.append(whole).await, Ok(5));
    assert_eq!(journal.load(None, &task("b")).await.unwrap().unwrap().head.version, 2);
    assert_eq!(journal.outbox("push", &task("b")).await.unwrap(), [outbox_entry("o1", "push", "b")]);
    assert_eq!(journal.claim(&principal("local", "ann"), "k1").await, Ok(Some(claim("k1", "b"))));

    let twice = commit([write("c", 0, &["new"]), write("c", 0, &["again"])]);
    assert_eq!(journal.append(twice).await, Err(JournalError::Conflict { stream: task("c"), expected: 0, actual: 1 }));
    assert_eq!(journal.tail(0, 100).await.unwrap().len(), 5);
}

pub(crate) async fn newer_epoch_fences_off_the_older_one(journal: &dyn Journal) {
    let stream = task("a");
    let missing = Err(JournalError::Missing { stream: stream.clone() });
    assert_eq!(journal.acquire(&stream, "one", at(0), MINUTE).await, missing);
    journal.append(commit([write("a", 0, &["one"])])).await.unwrap();

    let lease = journal.acquire(&stream, "one", at(0), MINUTE).await.unwrap();
    assert_eq!((lease.epoch, lease.expires_at), (2, at(60_000)));
    let stale = |epoch, actual| Err(JournalError::StaleEpoch { stream: stream.clone(), epoch, actual });
    assert_eq!(journal.append(commit([write("a", 1, &["old"])])).await, stale(1, 2));
    let under = |epoch, expected| {
        let mut write = write("a", expected, &["under"]);
        write.epoch = epoch;
        commit([write])
    };
    assert_eq!(journal.append(under(3, 1)).await, stale(3, 2));
    journal.append(under(2, 1)).await.unwrap();

    let leased = Err(JournalError::Leased { stream: stream.clone() });
    assert_eq!(journal.acquire(&stream, "two", at(59_999), MINUTE).await, leased);
    assert_eq!(journal.acquire(&stream, "one", at(30_000), MINUTE).await.unwrap().epoch, 3);
    assert_eq!(journal.acquire(&stream, "two", at(60_000), MINUTE).await, leased);
    assert_eq!(journal.acquire(&stream, "two", at(90_000), MINUTE).await.unwrap().epoch, 4);
    assert_eq!(journal.append(under(2, 2)).await, stale(2, 4));
    journal.append(under(4, 2)).await.unwrap();
    let loaded = journal.load(None, &stream).await.unwrap().unwrap();
    assert_eq!((loaded.head.version, loaded.head.epoch), (3, 4));
    assert_eq!(loaded.events.iter().map(|event| event.epoch).collect::<Vec<_>>(), [1, 2, 4]);
}

pub(crate) async fn stream_of_another_owner_is_not_found(journal: &dyn Journal) {
    let mut owned = write("a", 0, &["one"]);
    let mut scoped = (*owned.principal).clone();
    scoped.scopes.push("admin".into());
    owned.principal = Arc::new(scoped);
    journal.append(commit([owned])).await.unwrap();
    // A later writer does not become the owner.
    let mut later = write("a", 1, &["two"]);
    later.principal = principal("local", "bob");
    journal.append(commit([later])).await.unwrap();

    let owner = principal("local", "ann");
    assert_eq!(journal.load(Some(&owner), &task("a")).await.unwrap().unwrap().head.owner, owner);
    let query = baton_ports::StreamQuery::tasks(10);
    assert_eq!(journal.list(&owner, &query).await.unwrap().total, 1);
    for foreign in [principal("local", "bob"), principal("other", "ann"), principal("", "")] {
        assert!(journal.load(Some(&foreign), &task("a")).await.unwrap().is_none());
        let page = journal.list(&foreign, &query).await.unwrap();
        assert_eq!((page.heads.len(), page.total, page.next), (0, 0, None));
    }
    assert!(journal.load(None, &task("a")).await.unwrap().is_some());
    let subjects = journal.events(&task("a"), 0, 9).await.unwrap();
    assert_eq!(subjects.iter().map(|event| &*event.subject).collect::<Vec<_>>(), ["ann", "bob"]);
}

pub(crate) async fn unfinished_streams_are_found_in_creation_order(journal: &dyn Journal) {
    for (id, state) in [
        ("z", TaskState::Working),
        ("m", TaskState::Completed),
        ("a", TaskState::Working),
        ("q", TaskState::InputRequired),
        ("b", TaskState::Working),
    ] {
        journal.append(commit([created(id, state, 1)])).await.unwrap();
    }
    journal.append(commit([handoff("h")])).await.unwrap();
    let ids = |heads: Vec<baton_ports::StreamHead>| heads.into_iter().map(|head| head.stream).collect::<Vec<_>>();
    let all = ids(journal.active_streams(None, 10).await.unwrap());
    assert_eq!(all[..3], [task("z"), task("a"), task("b")]);
    assert_eq!(all.len(), 4);
    assert_eq!(ids(journal.active_streams(None, 2).await.unwrap()), [task("z"), task("a")]);
    assert_eq!(ids(journal.active_streams(Some(task("a")), 1).await.unwrap()), [task("b")]);
    // A stream that has ended still works as a cursor.
    let mut ended = write("a", 1, &["end"]);
    ended.head = crate::sample::head(TaskState::Completed, 2);
    journal.append(commit([ended])).await.unwrap();
    assert_eq!(ids(journal.active_streams(Some(task("a")), 1).await.unwrap()), [task("b")]);
    assert_eq!(journal.active_streams(None, 10).await.unwrap().len(), 3);
}

pub(crate) async fn the_tail_is_one_order_over_all_streams(journal: &dyn Journal) {
    journal.append(commit([write("a", 0, &["1", "2"]), write("b", 0, &["3"])])).await.unwrap();
    journal.append(commit([write("a", 2, &["4"])])).await.unwrap();
    let tail = journal.tail(0, 10).await.unwrap();
    let order: Vec<_> = tail.iter().map(|event| (event.seq, event.stream.id().to_owned(), event.number)).collect();
    let expected = [(1, "a", 1), (2, "a", 2), (3, "b", 1), (4, "a", 3)];
    assert_eq!(order, expected.map(|(seq, id, number)| (seq, id.to_owned(), number)));
    assert_eq!(journal.tail(2, 1).await.unwrap(), tail[2..3]);
    assert!(journal.tail(4, 10).await.unwrap().is_empty());
}

pub(crate) async fn loading_starts_from_the_snapshot(journal: &dyn Journal) {
    let snapshot = |text: &str| Json::string(text);
    let mut first = write("a", 0, &["1", "2"]);
    first.snapshot = Some(snapshot("after two"));
    journal.append(commit([first])).await.unwrap();
    journal.append(commit([write("a", 2, &["3"])])).await.unwrap();
    let loaded = journal.load(None, &task("a")).await.unwrap().unwrap();
    assert_eq!(loaded.snapshot, Some(Snapshot { version: 2, state: snapshot("after two") }));
    assert_eq!(loaded.events.iter().map(|event| event.number).collect::<Vec<_>>(), [3]);
    assert_eq!((loaded.head.version, loaded.head.created_at), (3, at(1_000)));

    let mut second = write("a", 3, &["4"]);
    second.snapshot = Some(snapshot("after four"));
    journal.append(commit([second])).await.unwrap();
    let loaded = journal.load(None, &task("a")).await.unwrap().unwrap();
    assert_eq!(loaded.snapshot, Some(Snapshot { version: 4, state: snapshot("after four") }));
    assert!(loaded.events.is_empty());
}

pub(crate) async fn long_bodies_and_blobs_round_trip(journal: &dyn Journal) {
    let long = "ö".repeat(100_000);
    let mut big = write("a", 0, &["short", &long, &long]);
    big.snapshot = Some(Json::string(&long));
    journal.append(commit([big])).await.unwrap();
    let facts: Vec<_> = journal.events(&task("a"), 0, 9).await.unwrap().iter().map(|e| e.fact.clone()).collect();
    assert_eq!(facts, [message_event("short"), message_event(&long), message_event(&long)]);
    let loaded = journal.load(None, &task("a")).await.unwrap().unwrap();
    assert_eq!(loaded.snapshot.unwrap().state, Json::string(&long));

    let bytes: baton_ports::Blob = Arc::from(&b"any \xff bytes"[..]);
    let digest = journal.put_blob(bytes.clone()).await.unwrap();
    assert_eq!(digest, Digest::compute(&bytes));
    assert_eq!(journal.put_blob(bytes.clone()).await.unwrap(), digest);
    assert_eq!(journal.blob(&digest).await.unwrap(), Some(bytes));
    assert_eq!(journal.blob(&Digest::compute(b"other")).await.unwrap(), None);
    assert_eq!(journal.blob(&Digest::from_hex("not hex")).await.unwrap(), None);
}
