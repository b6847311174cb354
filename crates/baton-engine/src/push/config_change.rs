//! Changes a push configuration while its delivery is paused.

use super::{CHANNEL, MAX_PER_TASK, delivery_queue::PushKey, host_queues::digest};
use crate::{EngineError, engine::EngineInner, error_codes, send::internal};
use baton_ports::{JournalError, OutboxEntry, OutboxProgress, Receipt};
use baton_types::{Json, PushConfig, StreamId, TaskId, TaskState, Timestamp};
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Serializes changes of the configurations of one task, so that their number stays bounded.
pub(crate) struct PushConfigLocks([Arc<Mutex<()>>; 32]);

impl Default for PushConfigLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Arc::default()))
    }
}

impl PushConfigLocks {
    async fn lock(&self, task: &TaskId) -> OwnedMutexGuard<()> {
        let slot = usize::try_from(digest(task) % self.0.len() as u64).unwrap_or(0);
        Arc::clone(&self.0[slot]).lock_owned().await
    }
}

/// A push configuration being changed. On drop, the dispatcher rechecks the entry.
pub(crate) struct PushConfigChange {
    inner: Arc<EngineInner>,
    key: PushKey,
    config: Option<PushConfig>,
    /// Progress of the replaced entry, if it had pending notifications.
    replaced_progress: Option<OutboxProgress>,
    _turn: Option<OwnedMutexGuard<()>>,
}

impl Drop for PushConfigChange {
    fn drop(&mut self) {
        self.inner.delivery_queue.end_change(&self.key);
    }
}

impl PushConfigChange {
    /// Outbox entry for a receiver that is not notified of events up to `version`.
    pub(crate) fn entry(&self, version: u64, state: TaskState, now: Timestamp) -> Result<OutboxEntry, EngineError> {
        let body = Json::from_serializable(&self.config).map_err(|error| internal(&error.to_string()))?;
        Ok(OutboxEntry {
            id: self.key.entry_id(),
            channel: CHANNEL.to_owned(),
            stream: StreamId::Task(self.key.task.clone()),
            body,
            progress: OutboxProgress {
                cursor: self.replaced_progress.as_ref().map_or(version, |progress| progress.cursor.min(version)),
                due_at: now,
                attempts: 0,
                failing_since: None,
                open: !state.is_terminal() || self.replaced_progress.is_some(),
            },
        })
    }
}

impl EngineInner {
    /// Begins a configuration for a new task.
    pub(crate) fn begin_first_push_config(
        self: &Arc<Self>,
        task: &TaskId,
        config: PushConfig,
    ) -> Result<PushConfigChange, EngineError> {
        let key = PushKey { task: task.clone(), config: config.id.clone() };
        self.delivery_queue.begin_change(&key, Some(&config))?;
        Ok(PushConfigChange {
            inner: Arc::clone(self),
            key,
            config: Some(config),
            replaced_progress: None,
            _turn: None,
        })
    }

    /// Begins a new or replacing configuration of an existing task.
    pub(crate) async fn begin_push_config(
        self: &Arc<Self>,
        task: &TaskId,
        config: PushConfig,
    ) -> Result<PushConfigChange, EngineError> {
        let key = PushKey { task: task.clone(), config: config.id.clone() };
        let mut change = self.pause_delivery(key, Some(config)).await?;
        let present = self.push_entries(task).await?;
        let id = change.key.entry_id();
        let replaced = present.iter().find(|entry| entry.id == id);
        if replaced.is_none() && present.len() >= MAX_PER_TASK {
            return Err(EngineError::Invalid {
                code: error_codes::PUSH_FULL,
                field: "taskId".to_owned(),
                detail: format!("task '{task}' has {MAX_PER_TASK} push configurations already"),
            });
        }
        change.replaced_progress = replaced.filter(|entry| entry.progress.open).map(|entry| entry.progress.clone());
        Ok(change)
    }

    /// Pauses the delivery of an entry; an in-flight notification is canceled.
    pub(super) async fn pause_delivery(
        self: &Arc<Self>,
        key: PushKey,
        config: Option<PushConfig>,
    ) -> Result<PushConfigChange, EngineError> {
        let turn = self.push_config_locks.lock(&key.task).await;
        let in_flight = self.delivery_queue.begin_change(&key, config.as_ref())?;
        let change =
            PushConfigChange { inner: Arc::clone(self), key, config, replaced_progress: None, _turn: Some(turn) };
        if let Some(ended) = in_flight {
            ended.cancelled().await;
        }
        Ok(change)
    }

    /// Holds a value until the journal has answered, even if the caller disconnects.
    pub(crate) fn hold_until_synced<T: Send + 'static>(&self, receipt: Receipt, guard: T) -> Receipt {
        let task = self.drivers.spawn(async move {
            let answer = receipt.await;
            drop(guard);
            answer
        });
        let shutdown_error = |_| Err(JournalError::Unavailable("the process is shutting down".to_owned()));
        Box::pin(async move { task.await.unwrap_or_else(shutdown_error) })
    }
}
