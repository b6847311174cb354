//! Any sequence of calls has the same effect on disk and in memory.

use crate::sample::{
    at, claim, commit, created, head, message_event, open_progress, outbox_entry, principal, status_event, task,
};
use baton_journal::{JournalOptions, MemoryJournal, SqliteJournal};
use baton_ports::{
    Claim, Commit, Journal, JournalError, OutboxEntry, OutboxProgress, RetentionPolicy, StreamQuery, Write,
};
use baton_types::{Json, TaskState};
use proptest::{collection::vec, prelude::*};
use std::{sync::Arc, time::Duration};

/// One call; positions are relative to the current version of the stream, so that most appends succeed.
#[derive(Clone, Debug)]
enum JournalCall {
    Append { writes: Vec<(usize, i8, i8, usize, usize)>, entry: Option<EntryPlan>, claim: Option<(u8, usize)> },
    Acquire { stream: usize, holder: u8, now: i64 },
    Advance(EntryPlan),
    Remove { id: u8 },
    Retain { ended_before: Option<i64>, keep_ended: Option<u64> },
}

/// An outbox entry: its stream and its progress.
#[derive(Clone, Debug)]
struct EntryPlan {
    id: u8,
    stream: usize,
    cursor: u64,
    failing: bool,
    open: bool,
}

impl EntryPlan {
    fn name(&self) -> String {
        format!("o{}", self.id)
    }

    fn progress(&self) -> OutboxProgress {
        let failing = self.failing.then(|| at(7));
        OutboxProgress {
            failing_since: failing,
            attempts: self.failing.into(),
            open: self.open,
            ..open_progress(self.cursor)
        }
    }

    fn entry(&self) -> OutboxEntry {
        OutboxEntry { progress: self.progress(), ..outbox_entry(&self.name(), "push", &name(self.stream)) }
    }
}

fn entry() -> impl Strategy<Value = EntryPlan> {
    (0..4_u8, 0..5_usize, 0..4_u64, any::<bool>(), any::<bool>())
        .prop_map(|(id, stream, cursor, failing, open)| EntryPlan { id, stream, cursor, failing, open })
}

fn call() -> impl Strategy<Value = JournalCall> {
    let skew = prop_oneof![12 => Just(0_i8), 1 => Just(1), 1 => Just(-1)];
    let write = (0..5_usize, skew.clone(), skew, 1..4_usize, 0..TaskState::ALL.len());
    prop_oneof![
        8 => (vec(write, 0..4), proptest::option::of(entry()), proptest::option::of((0..12_u8, 0..5_usize)))
            .prop_map(|(writes, entry, claim)| JournalCall::Append { writes, entry, claim }),
        2 => (0..5_usize, 0..2_u8, 0..200_i64)
            .prop_map(|(stream, holder, now)| JournalCall::Acquire { stream, holder, now }),
        3 => entry().prop_map(JournalCall::Advance),
        1 => (0..4_u8).prop_map(|id| JournalCall::Remove { id }),
        1 => (proptest::option::of(0..100_i64), proptest::option::of(0..3_u64))
            .prop_map(|(ended_before, keep_ended)| JournalCall::Retain { ended_before, keep_ended }),
    ]
}

fn name(stream: usize) -> String {
    format!("t{stream}")
}

/// The commit of a call, given the current versions of the streams.
async fn resolve(model: &MemoryJournal, writes: &[(usize, i8, i8, usize, usize)], moment: i64) -> Commit {
    let mut resolved: Vec<Write> = Vec::new();
    for &(stream, version_skew, epoch_skew, facts, state) in writes {
        let id = name(stream);
        let earlier = resolved.iter().rev().find(|write| write.stream == task(&id));
        let (version, epoch) = match earlier {
            Some(write) => (write.expected_version + write.facts.len() as u64, write.epoch),
            None => match model.load(None, &task(&id)).await.unwrap() {
                Some(loaded) => (loaded.head.version, loaded.head.epoch),
                None => (0, 1),
            },
        };
        let state = TaskState::ALL[state];
        let mut write = created(&id, state, moment);
        write.principal = principal("local", if stream % 2 == 0 { "ann" } else { "bob" });
        write.expected_version = version.saturating_add_signed(version_skew.into());
        write.epoch = epoch.saturating_add_signed(epoch_skew.into());
        write.head = head(state, moment);
        write.facts = (1..facts).map(|fact| message_event(&format!("{fact}"))).chain([status_event(state)]).collect();
        write.snapshot = (facts == 3).then(|| Json::string(&format!("state at {moment}")));
        resolved.push(write);
    }
    commit(resolved)
}

async fn same(model: &MemoryJournal, journal: &SqliteJournal) {
    assert_eq!(model.tail(0, 9_999).await, journal.tail(0, 9_999).await);
    assert_eq!(model.active_streams(None, 99).await, journal.active_streams(None, 99).await);
    for after in [None, Some("o1".to_owned())] {
        assert_eq!(model.outbox_open("push", after.clone(), 2).await, journal.outbox_open("push", after, 2).await);
    }
    for subject in ["ann", "bob"] {
        for key in 0..6 {
            let (owner, key) = (principal("local", subject), format!("k{key}"));
            assert_eq!(model.claim(&owner, &key).await, journal.claim(&owner, &key).await);
        }
        let mut query = StreamQuery::tasks(2);
        loop {
            let (ours, theirs) =
                tokio::join!(async { model.list(&principal("local", subject), &query).await.unwrap() }, async {
                    journal.list(&principal("local", subject), &query).await.unwrap()
                },);
            assert_eq!((&ours.heads, ours.total, &ours.next), (&theirs.heads, theirs.total, &theirs.next));
            let Some(next) = ours.next else { break };
            query.after = Some(next);
        }
    }
    for stream in 0..5 {
        let stream = task(&name(stream));
        assert_eq!(model.outbox("push", &stream).await, journal.outbox("push", &stream).await);
        let (ours, theirs) = (model.load(None, &stream).await.unwrap(), journal.load(None, &stream).await.unwrap());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }
}

async fn run(calls: Vec<JournalCall>) {
    let directory = tempfile::tempdir().unwrap();
    // Small limits, so that cached versions are evicted and groups are split.
    let options = JournalOptions { cached_heads: 2, group: 3, ..JournalOptions::default() };
    let journal = SqliteJournal::open(directory.path(), options).unwrap();
    let model = MemoryJournal::new();
    let mut waiting: Vec<(Result<u64, JournalError>, baton_ports::Receipt)> = Vec::new();
    for (call, moment) in calls.into_iter().zip(1_i64..) {
        match call {
            JournalCall::Append { writes, entry, claim: claimed } => {
                let mut commit = resolve(&model, &writes, moment % 17).await;
                commit.outbox.extend(entry.as_ref().map(EntryPlan::entry));
                commit.claims.extend(claimed.map(|(key, stream)| Claim {
                    principal: principal("local", if key % 2 == 0 { "ann" } else { "bob" }),
                    ..claim(&format!("k{}", key / 2), &name(stream))
                }));
                waiting.push((model.append(commit.clone()).await, journal.append(commit)));
                continue;
            }
            JournalCall::Acquire { stream, holder, now } => {
                let (stream, holder) = (task(&name(stream)), format!("h{holder}"));
                let ttl = Duration::from_millis(50);
                let expected = model.acquire(&stream, &holder, at(now), ttl).await;
                assert_eq!(journal.acquire(&stream, &holder, at(now), ttl).await, expected);
            }
            JournalCall::Advance(entry) => {
                let (id, progress) = (entry.name(), entry.progress());
                let expected = model.outbox_advance(&id, progress.clone()).await;
                assert_eq!(journal.outbox_advance(&id, progress).await, expected);
            }
            JournalCall::Remove { id } => {
                let id = format!("o{id}");
                assert_eq!(journal.outbox_remove(&id).await, model.outbox_remove(&id).await);
            }
            JournalCall::Retain { ended_before, keep_ended } => {
                let policy = RetentionPolicy { ended_before: ended_before.map(at), keep_ended, keep_since: None };
                // Retention considers committed rows only, so everything before it must be committed.
                settle(&mut waiting).await;
                assert_eq!(journal.apply_retention(policy.clone()).await, model.apply_retention(policy).await);
            }
        }
        settle(&mut waiting).await;
    }
    settle(&mut waiting).await;
    same(&model, &journal).await;
    drop(journal);
    let reopened = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    same(&model, &reopened).await;
}

async fn settle(waiting: &mut Vec<(Result<u64, JournalError>, baton_ports::Receipt)>) {
    for (expected, receipt) in waiting.drain(..) {
        assert_eq!(receipt.await, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn disk_and_memory_agree(calls in vec(call(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(calls));
    }
}

#[tokio::test]
async fn clones_of_the_memory_journal_share_one_store() {
    let journal = Arc::new(MemoryJournal::new());
    let clone = MemoryJournal::clone(&journal);
    journal.append(commit([created("a", TaskState::Working, 1)])).await.unwrap();
    drop(journal);
    assert_eq!(clone.tail(0, 9).await.unwrap().len(), 1);
}
