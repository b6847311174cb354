//! Sessions for those who work on a task in them.

use super::{SessionChange, SessionError, SessionRef};
use crate::{Engine, EngineError};
use baton_ports::{BoxFuture, SessionBook, SessionBookError, SessionItems};
use baton_types::{ItemName, Principal, StreamId, TaskId};
use std::sync::Arc;

impl Engine {
    /// The session that a task is in, and whose it is.
    async fn session_of(&self, task: &TaskId) -> Result<(Arc<Principal>, SessionRef), SessionBookError> {
        let loaded = self.inner.journal().load(None, &StreamId::Task(task.clone())).await;
        let missing = || SessionError::from(EngineError::TaskNotFound(task.clone()));
        let head = loaded.map_err(SessionError::from)?.ok_or_else(missing)?.head;
        Ok((head.owner, SessionRef { context: head.context, agent: Some(head.agent) }))
    }

    async fn say_once(&self, task: &TaskId, change: SessionChange) -> Result<bool, SessionBookError> {
        let (owner, session) = self.session_of(task).await?;
        let before = self.session_record(&owner, &session).await?.1.map_or(0, |record| record.version);
        let after = self.change_session(&owner, &session, vec![change]).await?;
        Ok(after.is_some_and(|record| record.version > before))
    }
}

impl SessionBook for Engine {
    fn items<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<SessionItems, SessionBookError>> {
        Box::pin(async move {
            let (owner, session) = self.session_of(task).await?;
            let (_, record) = self.session_record(&owner, &session).await?;
            Ok(record
                .map(|record| SessionItems { included: record.included, excluded: record.excluded })
                .unwrap_or_default())
        })
    }

    fn include<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionBookError>> {
        Box::pin(self.say_once(task, SessionChange::Include(item)))
    }

    fn exclude<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionBookError>> {
        Box::pin(self.say_once(task, SessionChange::Exclude(item)))
    }
}

impl From<SessionError> for SessionBookError {
    fn from(error: SessionError) -> Self {
        Self { code: error.code(), detail: error.to_string() }
    }
}
