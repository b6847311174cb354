//! Invariants, checked over the whole journal.

use crate::world::World;
use baton_journal::MemoryJournal;
use baton_ports::{Journal, StoredEvent};
use baton_rules::{HandoffRecord, REQUEST_MEMBER, TaskRecord, is_tool_answer};
use baton_types::{
    CallId, Effects, HandoffEvent, HandoffId, JournalEvent, Json, Role, StreamId, TaskEvent, TaskId, TaskState,
    Timestamp,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub(crate) async fn all_events(journal: &MemoryJournal) -> Vec<Arc<StoredEvent>> {
    let mut events = Vec::new();
    loop {
        let page = journal.tail(events.last().map_or(0, |event: &Arc<StoredEvent>| event.seq), 10_000).await.unwrap();
        if page.is_empty() {
            return events;
        }
        events.extend(page);
    }
}

pub(crate) async fn has_result(journal: &MemoryJournal, call: &CallId) -> bool {
    all_events(journal).await.iter().any(
        |event| matches!(&event.fact, JournalEvent::Task(TaskEvent::ToolFinished { result }) if result.call == *call),
    )
}

/// All tasks and handoffs, folded from the journal; folding panics on an illegal history.
pub(crate) struct FoldedJournal {
    pub(crate) tasks: BTreeMap<TaskId, TaskRecord>,
    pub(crate) handoffs: BTreeMap<HandoffId, HandoffRecord>,
    pub(crate) events: BTreeMap<TaskId, Vec<Arc<StoredEvent>>>,
}

pub(crate) async fn fold_journal(journal: &MemoryJournal) -> FoldedJournal {
    let mut all = FoldedJournal { tasks: BTreeMap::new(), handoffs: BTreeMap::new(), events: BTreeMap::new() };
    let mut handoffs: BTreeMap<HandoffId, Vec<HandoffEvent>> = BTreeMap::new();
    for event in all_events(journal).await {
        match (&event.stream, &event.fact) {
            (StreamId::Task(id), JournalEvent::Task(fact)) => {
                if let Some(task) = all.tasks.get_mut(id) {
                    task.apply(event.at, fact)
                        .unwrap_or_else(|illegal| panic!("{id} event {}: {illegal}", event.number));
                    assert_eq!(task.version, event.number, "{id}: event numbers have a gap");
                } else {
                    all.tasks.insert(id.clone(), TaskRecord::from_submission(id.clone(), event.at, fact).unwrap());
                }
                all.events.entry(id.clone()).or_default().push(Arc::clone(&event));
            }
            (StreamId::Handoff(id), JournalEvent::Handoff(fact)) => {
                handoffs.entry(id.clone()).or_default().push(fact.clone());
            }
            mixed => panic!("{mixed:?}"),
        }
    }
    for (id, events) in handoffs {
        all.handoffs.insert(id, HandoffRecord::fold(&events).unwrap().unwrap());
    }
    all
}

/// Checks the invariants of a world at rest.
pub(crate) async fn assert_invariants(world: &World, acknowledged: &[TaskId]) -> FoldedJournal {
    let all = fold_journal(&world.journal).await;
    for id in acknowledged {
        assert!(all.tasks.contains_key(id), "acknowledged task {id} is lost");
    }
    for task in all.tasks.values() {
        assert!(task.state.is_terminal(), "{} ends as {:?}", task.id, task.state);
    }
    assert!(world.repeated.lock().unwrap().is_empty(), "calls with a recorded result ran again");
    let effects = |name: &str| match name {
        "act" | "far_act" | "quiz" | "gate" => Effects::Unknown,
        _ => Effects::ReadOnly,
    };
    for (id, events) in &all.events {
        let facts = || {
            events.iter().filter_map(|event| if let JournalEvent::Task(fact) = &event.fact { Some(fact) } else { None })
        };
        assert_crash_counts(id, facts());
        // Every decided outcome of an in-doubt call allows one more run of the call.
        let allowed = |call: &CallId| {
            let is_outcome = |fact: &&TaskEvent| matches!(fact, TaskEvent::ToolInputReceived { call: it, answers } if it == call && answers.answers.iter().any(|answer| answer.key == "baton/outcome"));
            1 + facts().filter(is_outcome).count() as u64
        };
        for event in events {
            if let JournalEvent::Task(TaskEvent::ToolsCalled { calls, .. }) = &event.fact {
                for call in calls.iter().filter(|call| !effects(&call.name).may_repeat()) {
                    let again = CallId::from(format!("{}!", call.id));
                    for part in [&call.id, &again] {
                        let runs = world.runs.lock().unwrap().get(part).copied().unwrap_or(0);
                        assert!(u64::from(runs) <= allowed(&call.id), "{id}: {part} ran {runs} times");
                    }
                }
            }
        }
    }
    assert_context_selected_once(&all);
    assert_peer_messages(world, &all);
    assert_handoffs_complete(&all);
    crate::spans::assert_complete(world).await;
    all
}

/// A run is given up only after consecutive crashes at the same event, the last one alone.
fn assert_crash_counts<'a>(id: &TaskId, facts: impl Iterator<Item = &'a TaskEvent>) {
    let mut task: Option<TaskRecord> = None;
    for fact in facts {
        if let (TaskEvent::StatusChanged { reason: Some(reason), .. }, Some(task)) = (fact, &task)
            && reason.code == "BTN-3005"
        {
            let run = task.run.as_ref().unwrap();
            assert!(
                run.crashes >= 2 && run.alone >= 1,
                "{id}: given up after {} crashes, {} alone",
                run.crashes,
                run.alone
            );
        }
        match &mut task {
            Some(task) => task.apply(Timestamp::from_millis(0), fact).unwrap(),
            None => task = TaskRecord::from_submission(id.clone(), Timestamp::from_millis(0), fact).ok(),
        }
    }
}

/// Context items are selected once per message and recorded before the answer.
fn assert_context_selected_once(all: &FoldedJournal) {
    for (id, events) in &all.events {
        let mut chosen = BTreeSet::new();
        for event in events {
            match &event.fact {
                JournalEvent::Task(TaskEvent::ContextSelected { message, .. }) => {
                    assert!(chosen.insert(message.clone()), "{id}: chosen again for {message}");
                }
                JournalEvent::Task(TaskEvent::Answered { message, .. }) => {
                    let says = |json: &Json| json.as_str().contains(REQUEST_MEMBER);
                    let given = message.metadata.as_ref().is_some_and(says);
                    assert!(
                        !given || !chosen.is_empty(),
                        "{id}: {} names context items that were not selected",
                        message.id
                    );
                }
                _ => {}
            }
        }
    }
}

/// Messages to peers are recorded before they are sent, sent once, and include every user message.
fn assert_peer_messages(world: &World, all: &FoldedJournal) {
    let facts = all.events.values().flatten().map(|event| &event.fact);
    let on_record: BTreeSet<String> = facts
        .filter_map(|fact| match fact {
            JournalEvent::Task(TaskEvent::PeerSendStarted { message }) => Some(message.to_string()),
            _ => None,
        })
        .collect();
    for (key, times) in world.peers.arrivals() {
        assert_eq!(times, 1, "message {key} was sent to a peer {times} times");
        assert!(on_record.contains(&key), "message {key} was sent to a peer before it was recorded");
    }
    assert_eq!(world.peers.unfinished_tasks(), [""; 0], "a peer still works on an abandoned task");
    let asks = world.peers.requests();
    for task in all.tasks.values().filter(|task| task.state == TaskState::Completed && task.peer.is_some()) {
        let for_them = |message: &&baton_types::Message| message.role == Role::User && !is_tool_answer(message);
        for message in task.history.iter().filter(for_them) {
            let sent = asks
                .iter()
                .any(|ask| ask.context == *task.context.as_str() && ask.message.parts.contains(&message.parts[0]));
            assert!(sent, "{}: '{}' was never sent to the peer", task.id, message.text());
        }
    }
}

/// Each handoff has exactly one child and one end, and each child has a handoff.
fn assert_handoffs_complete(all: &FoldedJournal) {
    for (id, record) in &all.handoffs {
        let children: Vec<_> = all
            .tasks
            .values()
            .filter(|task| task.parent.as_ref().is_some_and(|parent| parent.handoff == *id))
            .collect();
        assert_eq!(children.len(), 1, "handoff {id} has {} children", children.len());
        assert_eq!(Some(&children[0].id), record.handoff.child_task.as_ref());
        assert!(record.status.is_terminal(), "handoff {id} ends as {:?}", record.status);
    }
    for task in all.tasks.values() {
        if let Some(parent) = &task.parent {
            assert!(all.handoffs.contains_key(&parent.handoff), "{} has no handoff", task.id);
        }
    }
}
