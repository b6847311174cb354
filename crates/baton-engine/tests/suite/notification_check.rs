//! Expected push notifications once all tasks are at rest.

use crate::{check, world::World};
use baton_ports::Journal;
use baton_rules::TaskRecord;
use baton_types::{JournalEvent, PushConfig, PushDialect, StreamId, TaskEvent};
use std::time::Duration;

/// Counts of notifications.
#[derive(Default)]
pub(crate) struct NotificationCounts {
    pub(crate) notifications: u64,
    pub(crate) repeated: u64,
    pub(crate) failed: u64,
}

/// Each receiver got the visible events of its task since its registration, in order, apart from repetitions. A
/// receiver is registered if and only if the message with its configuration is journaled.
pub(crate) async fn check_notifications(
    world: &World,
    all: &check::FoldedJournal,
    task: &TaskRecord,
    push: Option<&str>,
    index: usize,
) -> NotificationCounts {
    let stream = StreamId::Task(task.id.clone());
    let entries = world.journal.outbox("push", &stream).await.unwrap();
    let events = &all.events[&task.id];
    let aside = events.iter().find_map(|event| match &event.fact {
        JournalEvent::Task(TaskEvent::MessageReceived { message, .. }) if message.id.as_str().starts_with("aside") => {
            Some(event.number)
        }
        _ => None,
    });
    let mut counts = NotificationCounts::default();
    let mut expected = Vec::new();
    if let Some(kind) = push {
        expected.extend(aside.map(|number| (format!("{}/aside", task.id), address(kind, "aside", index), number)));
        expected.push((format!("{}/new", task.id), address(kind, "new", index), 1));
    }
    let ids: Vec<&String> = entries.iter().map(|entry| &entry.id).collect();
    assert_eq!(ids, expected.iter().map(|(id, ..)| id).collect::<Vec<_>>());
    for (id, url, since) in expected {
        let shown = events.iter().filter(|event| matches!(&event.fact, JournalEvent::Task(fact) if fact.is_visible()));
        let owed: Vec<u64> = shown.map(|event| event.number).filter(|number| *number >= since).collect();
        // Each plan has its own addresses, but a send without a key may create a second task with the same ones.
        let arrived: Vec<_> = world.receivers.at(&url).into_iter().filter(|arrival| arrival.task == task.id).collect();
        let mut numbers: Vec<u64> = arrived.iter().map(|arrival| arrival.number).collect();
        numbers.dedup();
        assert_eq!(numbers, owed, "{id}: a receiver missed an event or got it out of order");
        counts.notifications += owed.len() as u64;
        counts.repeated += (arrived.len() - owed.len()) as u64;
        counts.failed += (world.receivers.attempts(&url).len() - world.receivers.at(&url).len()) as u64;
    }
    counts
}

fn address(kind: &str, event: &str, index: usize) -> String {
    format!("https://{kind}-{event}-{index}.example")
}

pub(crate) fn receiver(kind: &str, event: &str, index: usize) -> PushConfig {
    let url = address(kind, event, index);
    PushConfig { id: event.into(), url, token: None, authentication: None, dialect: PushDialect::V1 }
}

/// Waits until every notification is delivered.
pub(crate) async fn wait_until_delivered(world: &World) {
    for _ in 0..10_000 {
        if world.journal.outbox_open("push", None, 1).await.unwrap().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("a notification is still pending");
}
