//! Session access for tools that run within a task.

use super::{SessionChange, SessionError, SessionRef};
use crate::{Engine, EngineError};
use baton_ports::{BoxFuture, SessionItems, SessionStore, SessionStoreError};
use baton_types::{AgentName, ContextId, ItemName, Principal, StreamId, TaskId};
use std::sync::Arc;

impl Engine {
    /// The owner, agent and context of a task. Read-only tools start before their task is journaled, so live tasks are
    /// searched first.
    async fn session_of(&self, task: &TaskId) -> Result<(Arc<Principal>, AgentName, ContextId), SessionStoreError> {
        let live = self.inner.live.lock().get(task).cloned();
        if let Some(live) = live {
            let cell = live.lock();
            return Ok((Arc::clone(&live.owner), cell.task.agent.clone(), cell.task.context.clone()));
        }
        let loaded = self.inner.journal().load(None, &StreamId::Task(task.clone())).await;
        let missing = || SessionError::from(EngineError::TaskNotFound(task.clone()));
        let head = loaded.map_err(SessionError::from)?.ok_or_else(missing)?.head;
        Ok((head.owner, head.agent, head.context))
    }

    async fn change_once(&self, task: &TaskId, change: SessionChange) -> Result<bool, SessionStoreError> {
        let (owner, agent, context) = self.session_of(task).await?;
        let session = SessionRef { context, agent: Some(agent) };
        let before = self.session_record(&owner, &session).await?.1.map_or(0, |record| record.version);
        let after = self.change_session(&owner, &session, vec![change]).await?;
        Ok(after.is_some_and(|record| record.version > before))
    }
}

impl SessionStore for Engine {
    fn items<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<SessionItems, SessionStoreError>> {
        Box::pin(async move {
            let (owner, agent, context) = self.session_of(task).await?;
            let record = self.inner.session_record(&owner, &agent, &context).await.map_err(SessionError::from)?;
            Ok(record
                .map(|record| SessionItems { included: record.included, excluded: record.excluded })
                .unwrap_or_default())
        })
    }

    fn include<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
        Box::pin(self.change_once(task, SessionChange::Include(item)))
    }

    fn exclude<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
        Box::pin(self.change_once(task, SessionChange::Exclude(item)))
    }
}

impl From<SessionError> for SessionStoreError {
    fn from(error: SessionError) -> Self {
        Self { code: error.code(), detail: error.to_string() }
    }
}
