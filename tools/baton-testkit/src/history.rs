//! All journal events, grouped by task and handoff.

use anyhow::{Context as _, Result};
use baton_api::EventEntry;
use baton_ports::{Journal, StoredEvent};
use baton_rules::{HandoffRecord, TaskRecord};
use baton_types::{HandoffEvent, HandoffId, JournalEvent, MessageId, StreamId, TaskEvent, TaskId, Timestamp};
use std::{collections::BTreeMap, sync::Arc};

/// Events read from the journal per page.
const PAGE: usize = 1000;

/// All events of a journal.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// In journal order.
    pub events: Vec<Arc<StoredEvent>>,
    /// Events of each task, in order.
    pub tasks: BTreeMap<TaskId, Vec<Arc<StoredEvent>>>,
    /// Events of each handoff, in order.
    pub handoffs: BTreeMap<HandoffId, Vec<Arc<StoredEvent>>>,
}

impl History {
    /// Groups events by stream.
    pub fn from_events(events: impl IntoIterator<Item = Arc<StoredEvent>>) -> Self {
        let mut history = Self::default();
        for event in events {
            match &event.stream {
                StreamId::Task(id) => history.tasks.entry(id.clone()).or_default().push(Arc::clone(&event)),
                StreamId::Handoff(id) => history.handoffs.entry(id.clone()).or_default().push(Arc::clone(&event)),
                StreamId::Session(_) => {}
            }
            history.events.push(event);
        }
        history
    }

    /// Reads a whole journal.
    pub async fn read(journal: &dyn Journal) -> Result<Self> {
        let mut events: Vec<Arc<StoredEvent>> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = journal.tail(after, PAGE).await?;
            if page.is_empty() {
                return Ok(Self::from_events(events));
            }
            events.extend(page);
        }
    }

    /// Builds a history from events endpoint results, as if they were the whole journal.
    pub fn from_entries<'a>(tasks: impl IntoIterator<Item = (&'a TaskId, &'a [EventEntry])>) -> Result<Self> {
        let mut events = Vec::new();
        for (task, entry) in
            tasks.into_iter().flat_map(|(task, entries)| entries.iter().map(move |entry| (task, entry)))
        {
            events.push(Arc::new(StoredEvent {
                seq: events.len() as u64 + 1,
                stream: StreamId::Task(task.clone()),
                number: entry.number,
                run: None,
                epoch: 1,
                at: entry.at.context("an event without a time")?,
                subject: "".into(),
                trace: None,
                fact: JournalEvent::decode(&entry.kind, JournalEvent::SCHEMA, &entry.body)?,
            }));
        }
        Ok(Self::from_events(events))
    }

    /// Tasks submitted with each message.
    pub fn tasks_by_first_message(&self) -> BTreeMap<&MessageId, Vec<&TaskId>> {
        self.by_message(|fact| match fact {
            TaskEvent::Submitted { message, .. } => Some(&message.id),
            _ => None,
        })
    }

    /// Tasks that contain each message of a caller, one entry per occurrence.
    pub fn tasks_by_message(&self) -> BTreeMap<&MessageId, Vec<&TaskId>> {
        self.by_message(|fact| match fact {
            TaskEvent::Submitted { message, .. } | TaskEvent::MessageReceived { message, .. } => Some(&message.id),
            _ => None,
        })
    }

    fn by_message(&self, message: impl Fn(&TaskEvent) -> Option<&MessageId>) -> BTreeMap<&MessageId, Vec<&TaskId>> {
        let mut tasks: BTreeMap<&MessageId, Vec<&TaskId>> = BTreeMap::new();
        for (task, _, fact) in self.all_facts() {
            if let Some(message) = message(fact) {
                tasks.entry(message).or_default().push(task);
            }
        }
        tasks
    }

    /// Events of a task with their numbers and timestamps.
    pub fn facts(&self, task: &TaskId) -> impl Iterator<Item = (u64, Timestamp, &TaskEvent)> {
        self.tasks.get(task).into_iter().flatten().filter_map(|event| match &event.fact {
            JournalEvent::Task(fact) => Some((event.number, event.at, fact)),
            JournalEvent::Handoff(_) | JournalEvent::Session(_) => None,
        })
    }

    /// Events of all tasks.
    pub fn all_facts(&self) -> impl Iterator<Item = (&TaskId, Timestamp, &TaskEvent)> {
        self.tasks.keys().flat_map(|task| self.facts(task).map(move |(_, at, fact)| (task, at, fact)))
    }

    /// Events of a handoff.
    pub fn handoff_facts(&self, handoff: &HandoffId) -> impl Iterator<Item = &HandoffEvent> {
        self.handoffs.get(handoff).into_iter().flatten().filter_map(|event| match &event.fact {
            JournalEvent::Handoff(fact) => Some(fact),
            JournalEvent::Task(_) | JournalEvent::Session(_) => None,
        })
    }

    /// The task folded from its events, or the first illegal event; `None` without events.
    pub fn fold(&self, id: &TaskId) -> Option<Result<TaskRecord, String>> {
        let mut facts = self.facts(id);
        let (_, at, first) = facts.next()?;
        let begun = TaskRecord::from_submission(id.clone(), at, first).map_err(|illegal| format!("event 1: {illegal}"));
        Some(begun.and_then(|mut task| {
            for (number, at, fact) in facts {
                task.apply(at, fact).map_err(|illegal| format!("event {number}: {illegal}"))?;
            }
            Ok(task)
        }))
    }

    /// The record folded from a handoff's events.
    pub fn fold_handoff(&self, id: &HandoffId) -> Option<Result<HandoffRecord, String>> {
        let folded = HandoffRecord::fold(self.handoff_facts(id))?;
        Some(folded.map_err(|illegal| illegal.to_string()))
    }
}
