//! Reads one push configuration.

use super::CHANNEL;
use crate::{Engine, EngineError, TaskRef};
use baton_types::{Principal, PushConfig, PushConfigId, StreamId};
use std::sync::Arc;

impl Engine {
    /// Returns one push configuration of a task.
    pub async fn push(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        config: &PushConfigId,
    ) -> Result<PushConfig, EngineError> {
        let all = self.pushes(principal, task).await?;
        let missing = || EngineError::PushNotFound { task: task.task.clone(), config: config.clone() };
        all.into_iter().find(|stored| stored.id == *config).ok_or_else(missing)
    }
}

impl crate::engine::EngineInner {
    /// Outbox entries of the task, by id.
    pub(super) async fn push_entries(
        &self,
        task: &baton_types::TaskId,
    ) -> Result<Vec<baton_ports::OutboxEntry>, EngineError> {
        Ok(self.journal().outbox(CHANNEL, &StreamId::Task(task.clone())).await?)
    }
}
