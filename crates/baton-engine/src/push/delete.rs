//! Forgetting a push configuration.

use super::orders::Key;
use crate::{Engine, EngineError, TaskRef};
use baton_types::{Principal, PushConfigId};
use std::sync::Arc;

impl Engine {
    /// Forgets a push configuration and stops telling its receiver at once; there need not be one.
    pub async fn delete_push(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        config: &PushConfigId,
    ) -> Result<(), EngineError> {
        self.inner.load(principal, task).await?;
        let key = Key { task: task.task.clone(), config: config.clone() };
        let placing = self.inner.set_aside(key.clone(), None).await?;
        let inner = Arc::clone(&self.inner);
        // Detached, because the order is set aside until the journal has answered, also when the caller hangs up.
        let seen_through = self.inner.drivers.spawn(async move {
            let removed = inner.journal().outbox_remove(&key.entry_id()).await;
            drop(placing);
            removed
        });
        seen_through.await.map_err(|_| EngineError::ShuttingDown)??;
        Ok(())
    }
}
