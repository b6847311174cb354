//! Creates or replaces a push configuration.

use crate::{Engine, EngineError, TaskRef, engine::EngineInner};
use baton_ports::Commit;
use baton_types::{Principal, PushConfig, PushConfigId};
use std::sync::Arc;

impl Engine {
    /// Stores a push configuration. The receiver is notified of all later events. A configuration with a known id
    /// replaces the old one, and its pending notifications go to the new receiver. An ended task creates no further
    /// notifications.
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
        let config = self.inner.admit_push_config(config).await?;
        let change = self.inner.begin_push_config(&task.task, config.clone()).await?;
        // Read after the change has begun, so that a replacement cannot start before the replaced one.
        let present = self.inner.load(principal, task).await?;
        let entry = change.entry(present.version, present.state, self.inner.ports.clock.now())?;
        let receipt = self.inner.journal().append(Commit { outbox: vec![entry], ..Commit::default() });
        self.inner.hold_until_synced(receipt, change).await?;
        Ok(config)
    }
}

impl EngineInner {
    /// Validates the receiver and assigns an id if there is none.
    pub(crate) async fn admit_push_config(&self, mut config: PushConfig) -> Result<PushConfig, EngineError> {
        if config.id.as_str().is_empty() {
            config.id = PushConfigId::from(self.ports.ids.next_id());
        }
        let rejection = |error: baton_ports::WebhookError| EngineError::PushRefused(error.to_string());
        self.ports.webhooks.check_receiver(&config).await.map_err(rejection)?;
        Ok(config)
    }
}
