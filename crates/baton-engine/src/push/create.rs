//! A new push configuration, or another version of an old one.

use crate::{Engine, EngineError, TaskRef, engine::Inner};
use baton_ports::Commit;
use baton_types::{Principal, PushConfig, PushConfigId};
use std::sync::Arc;

impl Engine {
    /// Stores a push configuration; the receiver is told of everything from now on. One with a known id replaces it,
    /// and what was owed to the old receiver is owed to the new one. An ended task owes nothing more.
    pub async fn create_push(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        config: PushConfig,
    ) -> Result<PushConfig, EngineError> {
        if self.inner.stopping.is_cancelled() {
            return Err(EngineError::ShuttingDown);
        }
        self.inner.load(principal, task).await?;
        let config = self.inner.admitted(config).await?;
        let placing = self.inner.place_on(&task.task, config.clone()).await?;
        // Read only now, so that a configuration that replaces another cannot begin before it.
        let present = self.inner.load(principal, task).await?;
        let entry = placing.entry(present.version, present.state, self.inner.ports.clock.now())?;
        let receipt = self.inner.journal().append(Commit { outbox: vec![entry], ..Commit::default() });
        self.inner.keep_until(receipt, placing).await?;
        Ok(config)
    }
}

impl Inner {
    /// The configuration with an id, if notifications may go where it says.
    pub(crate) async fn admitted(&self, mut config: PushConfig) -> Result<PushConfig, EngineError> {
        if config.id.as_str().is_empty() {
            config.id = PushConfigId::from(self.ports.ids.fresh());
        }
        let refused = |error: baton_ports::WebhookError| EngineError::PushRefused(error.to_string());
        self.ports.webhooks.admit(&config).await.map_err(refused)?;
        Ok(config)
    }
}
