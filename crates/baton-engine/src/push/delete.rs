//! Deletes a push configuration.

use super::delivery_queue::PushKey;
use crate::{Engine, EngineError, TaskRef};
use baton_types::{Principal, PushConfigId};
use std::sync::Arc;

impl Engine {
    /// Deletes a push configuration and stops its delivery immediately. Succeeds if there is none.
    pub async fn delete_push(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        config: &PushConfigId,
    ) -> Result<(), EngineError> {
        self.inner.load(principal, task).await?;
        let key = PushKey { task: task.task.clone(), config: config.clone() };
        let change = self.inner.pause_delivery(key.clone(), None).await?;
        let inner = Arc::clone(&self.inner);
        // Detached: the entry stays paused until the journal has answered, even if the caller disconnects.
        let removal = self.inner.drivers.spawn(async move {
            let removed = inner.journal().outbox_remove(&key.entry_id()).await;
            drop(change);
            removed
        });
        removal.await.map_err(|_| EngineError::ShuttingDown)??;
        Ok(())
    }
}
