//! Changes a push configuration while its delivery is paused.

use super::{CHANNEL, MAX_PER_TASK, lanes::digest, orders::Key};
use crate::{EngineError, engine::Inner, send::internal};
use baton_ports::{JournalError, OutboxEntry, OutboxProgress, Receipt};
use baton_types::{ErrorCode, Json, PushConfig, StreamId, TaskId, TaskState, Timestamp};
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Serializes changes of the configurations of one task, so that their number stays bounded.
pub(crate) struct PlaceLocks([Arc<Mutex<()>>; 32]);

impl Default for PlaceLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Arc::default()))
    }
}

impl PlaceLocks {
    async fn lock(&self, task: &TaskId) -> OwnedMutexGuard<()> {
        let slot = usize::try_from(digest(task) % self.0.len() as u64).unwrap_or(0);
        Arc::clone(&self.0[slot]).lock_owned().await
    }
}

/// A push configuration being changed. On drop, the dispatcher rechecks the entry.
pub(crate) struct Placing {
    inner: Arc<Inner>,
    key: Key,
    config: Option<PushConfig>,
    /// Progress of the replaced entry, if it had pending notifications.
    owed: Option<OutboxProgress>,
    _turn: Option<OwnedMutexGuard<()>>,
}

impl Drop for Placing {
    fn drop(&mut self) {
        self.inner.orders.look_again(&self.key);
    }
}

impl Placing {
    /// Outbox entry for a receiver that is not notified of events up to `version`.
    pub(crate) fn entry(&self, version: u64, state: TaskState, now: Timestamp) -> Result<OutboxEntry, EngineError> {
        let body = Json::of(&self.config).map_err(|error| internal(&error.to_string()))?;
        Ok(OutboxEntry {
            id: self.key.entry_id(),
            channel: CHANNEL.to_owned(),
            stream: StreamId::Task(self.key.task.clone()),
            body,
            progress: OutboxProgress {
                cursor: self.owed.as_ref().map_or(version, |owed| owed.cursor.min(version)),
                due_at: now,
                attempts: 0,
                failing_since: None,
                open: !state.is_terminal() || self.owed.is_some(),
            },
        })
    }
}

impl Inner {
    /// Begins a configuration for a new task.
    pub(crate) fn place_new(self: &Arc<Self>, task: &TaskId, config: PushConfig) -> Result<Placing, EngineError> {
        let key = Key { task: task.clone(), config: config.id.clone() };
        self.orders.expect(&key, Some(&config))?;
        Ok(Placing { inner: Arc::clone(self), key, config: Some(config), owed: None, _turn: None })
    }

    /// Begins a new or replacing configuration of an existing task.
    pub(crate) async fn place_on(self: &Arc<Self>, task: &TaskId, config: PushConfig) -> Result<Placing, EngineError> {
        let key = Key { task: task.clone(), config: config.id.clone() };
        let mut placing = self.set_aside(key, Some(config)).await?;
        let present = self.orders_of(task).await?;
        let id = placing.key.entry_id();
        let replaced = present.iter().find(|entry| entry.id == id);
        if replaced.is_none() && present.len() >= MAX_PER_TASK {
            return Err(EngineError::Invalid {
                code: ErrorCode::PUSH_FULL,
                field: "taskId".to_owned(),
                detail: format!("task '{task}' has {MAX_PER_TASK} push configurations already"),
            });
        }
        placing.owed = replaced.filter(|entry| entry.progress.open).map(|entry| entry.progress.clone());
        Ok(placing)
    }

    /// Pauses the delivery of an entry; an in-flight notification is canceled.
    pub(super) async fn set_aside(
        self: &Arc<Self>,
        key: Key,
        config: Option<PushConfig>,
    ) -> Result<Placing, EngineError> {
        let turn = self.places.lock(&key.task).await;
        let under_way = self.orders.expect(&key, config.as_ref())?;
        let placing = Placing { inner: Arc::clone(self), key, config, owed: None, _turn: Some(turn) };
        if let Some(over) = under_way {
            over.cancelled().await;
        }
        Ok(placing)
    }

    /// Holds a value until the journal has answered, even if the caller disconnects.
    pub(crate) fn keep_until<T: Send + 'static>(&self, receipt: Receipt, kept: T) -> Receipt {
        let seen_through = self.drivers.spawn(async move {
            let answer = receipt.await;
            drop(kept);
            answer
        });
        let gone = |_| Err(JournalError::Unavailable("the process is shutting down".to_owned()));
        Box::pin(async move { seen_through.await.unwrap_or_else(gone) })
    }
}
