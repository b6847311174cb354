//! What receivers of push notifications must have heard once everything has come to rest.

use crate::{check, world::World};
use baton_ports::Journal;
use baton_rules::TaskRecord;
use baton_types::{JournalEvent, PushConfig, PushDialect, StreamId, TaskEvent};
use std::time::Duration;

/// How much receivers have heard.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) notifications: u64,
    pub(crate) repeated: u64,
    pub(crate) failed: u64,
}

/// Each receiver heard, repetitions aside, what is shown of its task since it was to be told, in order; and whoever was
/// to be told is known if and only if the message that said so is.
pub(crate) async fn told(
    world: &World,
    all: &check::Everything,
    task: &TaskRecord,
    push: Option<&str>,
    index: usize,
) -> Heard {
    let stream = StreamId::Task(task.id.clone());
    let entries = world.journal.outbox("push", &stream).await.unwrap();
    let events = &all.events[&task.id];
    let aside = events.iter().find_map(|event| match &event.fact {
        JournalEvent::Task(TaskEvent::MessageReceived { message, .. }) if message.id.as_str().starts_with("aside") => {
            Some(event.number)
        }
        _ => None,
    });
    let mut heard = Heard::default();
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
        // Plans are sent to one address each, but without a key there may be a second task with the same one.
        let arrived: Vec<_> = world.receivers.at(&url).into_iter().filter(|arrival| arrival.task == task.id).collect();
        let mut numbers: Vec<u64> = arrived.iter().map(|arrival| arrival.number).collect();
        numbers.dedup();
        assert_eq!(numbers, owed, "{id}: a receiver missed an event or heard it out of order");
        heard.notifications += owed.len() as u64;
        heard.repeated += (arrived.len() - owed.len()) as u64;
        heard.failed += (world.receivers.tries(&url).len() - world.receivers.at(&url).len()) as u64;
    }
    heard
}

fn address(kind: &str, what: &str, index: usize) -> String {
    format!("https://{kind}-{what}-{index}.example")
}

pub(crate) fn receiver(kind: &str, what: &str, index: usize) -> PushConfig {
    let url = address(kind, what, index);
    PushConfig { id: what.into(), url, token: None, authentication: None, dialect: PushDialect::V1 }
}

/// Waits until every receiver was told everything.
pub(crate) async fn delivered(world: &World) {
    for _ in 0..10_000 {
        if world.journal.outbox_open("push", None, 1).await.unwrap().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("a notification stays owed");
}
