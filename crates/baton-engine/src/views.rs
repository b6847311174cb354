//! Queries for tasks, events and handoffs.

use crate::{Engine, EngineError, ListTasks, TaskPage, TaskRef};
use baton_ports::{Commit, LoadedStream, StoredEvent, StreamCursor, StreamPage, StreamQuery};
use baton_rules::{HandoffRecord, is_visible_to_caller};
use baton_types::{HandoffEvent, HandoffId, HandoffStatus, JournalEvent, Principal, StreamId, TaskEvent, TaskView};
use std::sync::Arc;

/// A page ends at this size in bytes, regardless of its limit.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

/// Events read per page.
const EVENT_PAGE_LEN: usize = 256;

impl Engine {
    /// Returns one task as stored in the journal.
    pub async fn task(&self, principal: &Arc<Principal>, task: &TaskRef) -> Result<Arc<TaskView>, EngineError> {
        Ok(Arc::new(self.inner.load(principal, task).await?.view()))
    }

    /// Lists tasks of the caller.
    pub async fn tasks(&self, principal: &Arc<Principal>, query: &ListTasks) -> Result<TaskPage, EngineError> {
        let listed = StreamQuery {
            agent: query.agent.clone(),
            context: query.context.clone(),
            state: query.state.map(baton_types::TaskState::as_str),
            status_after: query.status_after,
            after: query.after.clone(),
            ..StreamQuery::tasks(query.limit)
        };
        let StreamPage { heads, total, mut next } = self.inner.journal().list(principal, &listed).await?;
        let mut tasks = Vec::with_capacity(heads.len());
        let mut room = MAX_PAGE_BYTES;
        for (index, head) in heads.iter().enumerate() {
            // Retention may have removed it since.
            let Some(task) = self.inner.load_listed(principal, head).await? else { continue };
            let view = task.view();
            room = room.saturating_sub(view.weight());
            tasks.push(Arc::new(view));
            if room == 0 && index + 1 < heads.len() {
                next = Some(StreamCursor { status_at: head.status_at, id: head.stream.id().to_owned() });
                break;
            }
        }
        Ok(TaskPage { tasks, total, next })
    }

    /// Stored events of a task with numbers above `after`.
    pub async fn events(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<StoredEvent>>, EngineError> {
        self.inner.load(principal, task).await?;
        Ok(self.inner.journal().events(&StreamId::Task(task.task.clone()), after, limit).await?)
    }

    /// Events visible to callers: of an autonomous task, only those of its final result.
    pub async fn visible_events(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<StoredEvent>>, EngineError> {
        let autonomous = self.inner.load(principal, task).await?.autonomous;
        let stream = StreamId::Task(task.task.clone());
        let mut visible = Vec::new();
        let mut after = after;
        while visible.len() < limit {
            let events = self.inner.journal().events(&stream, after, limit).await?;
            let Some(last) = events.last() else { break };
            after = last.number;
            let is_visible = |event: &Arc<StoredEvent>| {
                !autonomous || matches!(&event.fact, JournalEvent::Task(fact) if is_visible_to_caller(true, fact))
            };
            visible.extend(events.into_iter().filter(is_visible));
        }
        visible.truncate(limit);
        Ok(visible)
    }

    /// A task with all its caller-visible events.
    pub async fn task_with_events(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
    ) -> Result<(Arc<TaskView>, Vec<Arc<StoredEvent>>), EngineError> {
        let present = self.inner.load(principal, task).await?;
        let stream = StreamId::Task(task.task.clone());
        let mut visible = Vec::new();
        let mut after = 0;
        loop {
            let events = self.inner.journal().events(&stream, after, EVENT_PAGE_LEN).await?;
            let full = events.len() == EVENT_PAGE_LEN;
            after = events.last().map_or(after, |last| last.number);
            // The start of a turn is needed to read the rest and reveals no intermediate steps.
            let begins =
                |event: &StoredEvent| matches!(&event.fact, JournalEvent::Task(TaskEvent::RunOptionsSet { .. }));
            let is_visible = |event: &StoredEvent| match &event.fact {
                JournalEvent::Task(fact) => is_visible_to_caller(true, fact),
                _ => false,
            };
            visible
                .extend(events.into_iter().filter(|event| !present.autonomous || begins(event) || is_visible(event)));
            if !full {
                return Ok((Arc::new(present.view()), visible));
            }
        }
    }

    /// Returns one handoff of the caller.
    pub async fn handoff(
        &self,
        principal: &Arc<Principal>,
        id: &HandoffId,
    ) -> Result<Option<HandoffRecord>, EngineError> {
        let stream = StreamId::Handoff(id.clone());
        let loaded = self.inner.journal().load(Some(principal), &stream).await?;
        let record = loaded.as_ref().and_then(fold_handoff);
        if !record.as_ref().is_some_and(|record| self.inner.is_late(record)) {
            return Ok(record);
        }
        // An overdue handoff is recorded as timed out when it is read, so no background job is needed.
        let error = Some("the deadline passed".to_owned());
        let event =
            HandoffEvent::StatusChanged { to: HandoffStatus::Timeout, result: None, error, result_trace_id: None };
        let writes = self.inner.handoff_write(principal, id, vec![event]).await?;
        if !writes.is_empty() {
            self.inner.journal().append(Commit::from_writes(writes)).await?;
        }
        let loaded = self.inner.journal().load(Some(principal), &stream).await?;
        Ok(loaded.as_ref().and_then(fold_handoff))
    }
}

/// Folds the stored events of a handoff into its record.
pub(crate) fn fold_handoff(loaded: &LoadedStream) -> Option<HandoffRecord> {
    let events = loaded.events.iter().filter_map(|event| match &event.fact {
        JournalEvent::Handoff(event) => Some(event),
        JournalEvent::Task(_) | JournalEvent::Session(_) => None,
    });
    HandoffRecord::fold(events)?.ok()
}
