//! Looking at tasks; nothing here changes anything.

use crate::{Engine, EngineError, ListTasks, TaskPage, TaskRef, open::fold};
use baton_ports::{ListQuery, Loaded, StoredEvent};
use baton_rules::HandoffRecord;
use baton_types::{Fact, HandoffId, Principal, StreamId, TaskView};
use std::sync::Arc;

impl Engine {
    /// One task, as the journal has it.
    pub async fn task(&self, principal: &Arc<Principal>, task: &TaskRef) -> Result<Arc<TaskView>, EngineError> {
        Ok(Arc::new(self.inner.load(principal, task).await?.view()))
    }

    /// A page of the caller's tasks.
    pub async fn tasks(&self, principal: &Arc<Principal>, query: &ListTasks) -> Result<TaskPage, EngineError> {
        let listed = ListQuery {
            agent: query.agent.clone(),
            context: query.context.clone(),
            state: query.state.map(baton_types::TaskState::as_str),
            status_after: query.status_after,
            after: query.after.clone(),
            ..ListQuery::tasks(query.limit)
        };
        let page = self.inner.journal().list(principal, &listed).await?;
        let mut tasks = Vec::with_capacity(page.heads.len());
        for head in &page.heads {
            let Some(id) = head.task() else { continue };
            // Retention may have removed it since.
            if let Some(loaded) = self.inner.journal().load(Some(principal), &head.stream).await? {
                tasks.push(Arc::new(fold(id, &loaded)?.view()));
            }
        }
        Ok(TaskPage { tasks, total: page.total, next: page.next })
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

    /// One handoff of the caller's.
    pub async fn handoff(
        &self,
        principal: &Arc<Principal>,
        id: &HandoffId,
    ) -> Result<Option<HandoffRecord>, EngineError> {
        let loaded = self.inner.journal().load(Some(principal), &StreamId::Handoff(id.clone())).await?;
        Ok(loaded.as_ref().and_then(fold_handoff))
    }
}

/// The record that a handoff's stored events amount to.
pub(crate) fn fold_handoff(loaded: &Loaded) -> Option<HandoffRecord> {
    let events = loaded.events.iter().filter_map(|event| match &event.fact {
        Fact::Handoff(event) => Some(event),
        Fact::Task(_) => None,
    });
    HandoffRecord::fold(events)?.ok()
}
