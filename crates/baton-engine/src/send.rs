//! Sends a message to an agent: starts a task or continues one.

use crate::{
    Engine, EngineError, FeedItem, SendCommand, SendReceipt, Subscription, TaskRef,
    claims::{IdempotencyCheck, IdempotencyGuard},
    engine::EngineInner,
    hub::Feed,
    live::LiveTask,
    push::PushConfigChange,
};
use baton_ports::{Commit, JournalError, Receipt};
use baton_rules::TaskRecord;
use baton_types::{ErrorCode, Principal, TaskId, TaskState, TaskView};
use std::sync::Arc;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// A queued send; it is durable when the receipt resolves.
pub(crate) struct QueuedSend {
    pub(crate) live: Arc<LiveTask>,
    /// The task after the send.
    pub(crate) task: TaskRecord,
    /// `None` when the run queues the send together with its first events.
    pub(crate) receipt: Option<Receipt>,
    /// Whether a driver must be started.
    pub(crate) drive: bool,
    pub(crate) subscription: SendSubscription,
}

/// Events that the sender waits for.
#[derive(Clone, Copy)]
pub(crate) enum ListenMode {
    Nothing,
    Settled,
    Everything,
}

/// Subscription opened before the send is queued, so that no event is missed.
#[derive(Default)]
pub(crate) struct SendSubscription {
    settled: Option<oneshot::Receiver<Result<u64, EngineError>>>,
    queue: Option<mpsc::Receiver<FeedItem>>,
}

impl SendSubscription {
    /// `version` is the task version before the send.
    pub(crate) fn open(feed: &Feed, listen: ListenMode, version: u64) -> Self {
        match listen {
            ListenMode::Nothing => Self::default(),
            ListenMode::Settled => Self { settled: Some(feed.settled(version)), queue: None },
            ListenMode::Everything => Self { settled: None, queue: feed.attach() },
        }
    }
}

/// Items committed together with a message: a push configuration and the claim of an idempotency key.
#[derive(Default)]
pub(crate) struct CommitExtras {
    pub(crate) push: Option<PushConfigChange>,
    pub(crate) key: Option<IdempotencyGuard>,
}

impl CommitExtras {
    /// The commit without the message; `version` is the task version before the message.
    pub(crate) fn to_commit(
        &self,
        inner: &EngineInner,
        principal: &Arc<Principal>,
        task: &TaskId,
        version: u64,
    ) -> Result<Commit, EngineError> {
        let mut commit = Commit::default();
        if let Some(change) = &self.push {
            commit.outbox.push(change.entry(version, TaskState::Working, inner.ports.clock.now())?);
        }
        commit.claims.extend(self.key.iter().map(|key| key.claim(principal, task, version + 1)));
        Ok(commit)
    }

    /// Holds the extras until the journal has answered.
    pub(crate) fn hold_with(self, inner: &EngineInner, receipt: Receipt) -> Receipt {
        if self.is_empty() { receipt } else { inner.hold_until_synced(receipt, self) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.push.is_none() && self.key.is_none()
    }
}

impl Engine {
    /// Sends a message; returns once the journal has it.
    pub async fn send(&self, principal: &Arc<Principal>, mut command: SendCommand) -> Result<SendReceipt, EngineError> {
        let key = match self.inner.check_idempotency(principal, &mut command).await? {
            IdempotencyCheck::New(key) => key,
            IdempotencyCheck::Replay(prior) => {
                return Ok(SendReceipt { task: self.inner.prior_task(principal, &prior).await? });
            }
        };
        let queued = self.inner.queue(principal, command, key, ListenMode::Nothing).await?;
        let task = Arc::new(queued.task.view());
        self.inner.acknowledge(queued).await?;
        Ok(SendReceipt { task })
    }

    /// Sends a message and waits until the task ends or needs input.
    pub async fn send_and_settle(
        &self,
        principal: &Arc<Principal>,
        mut command: SendCommand,
    ) -> Result<Arc<TaskView>, EngineError> {
        let key = match self.inner.check_idempotency(principal, &mut command).await? {
            IdempotencyCheck::New(key) => key,
            IdempotencyCheck::Replay(prior) => {
                self.inner.prior_task(principal, &prior).await?;
                return self.inner.wait_settled(&prior.task).await;
            }
        };
        let mut queued = self.inner.queue(principal, command, key, ListenMode::Settled).await?;
        let live = Arc::clone(&queued.live);
        let settled = queued.subscription.settled.take().ok_or(EngineError::ShuttingDown)?;
        self.inner.start(queued);
        let number = settled.await.map_err(|_| EngineError::ShuttingDown)??;
        {
            let cell = live.lock();
            if cell.task.version == number {
                return Ok(Arc::new(cell.task.view()));
            }
        }
        // More events were queued since; the journal has the settled state.
        let task = TaskRef { task: live.id.clone(), agent: None };
        Ok(Arc::new(self.inner.load(principal, &task).await?.view()))
    }

    /// Sends a message and subscribes; the stream ends when the task ends or needs input.
    pub async fn send_and_follow(
        &self,
        principal: &Arc<Principal>,
        mut command: SendCommand,
    ) -> Result<Subscription, EngineError> {
        let key = match self.inner.check_idempotency(principal, &mut command).await? {
            IdempotencyCheck::New(key) => key,
            IdempotencyCheck::Replay(prior) => return self.inner.follow_prior_send(principal, &prior).await,
        };
        let mut queued = self.inner.queue(principal, command, key, ListenMode::Everything).await?;
        let queue = queued.subscription.queue.take().ok_or(EngineError::ShuttingDown)?;
        let (feed, task) = (Arc::clone(&queued.live.feed), queued.task.clone());
        self.inner.acknowledge(queued).await?;
        Ok(Subscription::from_send(&self.inner, &task, feed, queue))
    }
}

impl EngineInner {
    async fn queue(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        mut command: SendCommand,
        key: Option<IdempotencyGuard>,
        listen: ListenMode,
    ) -> Result<QueuedSend, EngineError> {
        self.ensure_accepting()?;
        let spec =
            self.ports.agents.agent(&command.agent).ok_or_else(|| EngineError::AgentNotFound(command.agent.clone()))?;
        // With an idempotency key, the receiver was validated before the key was locked.
        if key.is_none()
            && let Some(config) = command.push.take()
        {
            command.push = Some(self.admit_push_config(config).await?);
        }
        match command.message.task.clone() {
            None => {
                let pinned = self
                    .pin(principal, &spec, command.message.context.as_ref(), command.run_options.as_deref())
                    .await?;
                self.submit(principal, command, key, &pinned, listen)
            }
            Some(task) => self.continue_task(principal, &task, command, key, &spec, listen).await,
        }
    }

    /// Starts the run, which also awaits the receipt.
    fn start(self: &Arc<Self>, queued: QueuedSend) {
        if queued.drive {
            self.spawn_driver(queued.live, queued.receipt);
        } else if let Some(receipt) = queued.receipt {
            self.await_receipt(queued.live, receipt);
        }
    }

    /// Starts the run immediately and returns once the journal has the send.
    async fn acknowledge(self: &Arc<Self>, queued: QueuedSend) -> Result<(), EngineError> {
        let QueuedSend { live, receipt: Some(receipt), drive, .. } = queued else { return Ok(()) };
        if !drive {
            let result = self.await_receipt(live, receipt).await;
            return Ok(result.map_err(|_| EngineError::ShuttingDown)??);
        }
        self.spawn_driver(Arc::clone(&live), None);
        if let Err(error) = receipt.await {
            self.handle_journal_error(&live, &error);
            return Err(error.into());
        }
        Ok(())
    }

    /// Awaits a receipt without a driver, even if the sender disconnects.
    pub(crate) fn await_receipt(
        self: &Arc<Self>,
        live: Arc<LiveTask>,
        receipt: Receipt,
    ) -> JoinHandle<Result<(), JournalError>> {
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            match receipt.await {
                Ok(_) => inner.release_if_idle(&live),
                Err(error) => {
                    inner.handle_journal_error(&live, &error);
                    return Err(error);
                }
            }
            Ok(())
        })
    }
}

/// An internal inconsistency, not caused by the caller.
pub(crate) fn internal(detail: &str) -> EngineError {
    EngineError::Invalid { code: ErrorCode::INTERNAL, field: String::new(), detail: detail.to_owned() }
}
