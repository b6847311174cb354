//! A message for an agent: a new task, or the next word in an old one.

use crate::{
    Engine, EngineError, FeedItem, SendCommand, Sent, Subscription, TaskRef,
    claims::{HeldKey, Occasion},
    engine::Inner,
    hub::Feed,
    live::LiveTask,
    push::Placing,
};
use baton_ports::{Commit, JournalError, Receipt};
use baton_rules::Task;
use baton_types::{ErrorCode, Principal, TaskId, TaskState, TaskView};
use std::sync::Arc;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// A send that is queued: the journal will have it when the receipt resolves.
pub(crate) struct Queued {
    pub(crate) live: Arc<LiveTask>,
    /// The task as the send left it.
    pub(crate) task: Task,
    /// `None` when the run itself queues the send with what it does first.
    pub(crate) receipt: Option<Receipt>,
    /// A driver must be started.
    pub(crate) drive: bool,
    pub(crate) ears: Ears,
}

/// What the sender wants to hear afterwards.
#[derive(Clone, Copy)]
pub(crate) enum Listen {
    Nothing,
    Settled,
    Everything,
}

/// Opened before anything is queued, so that nothing can be missed.
#[derive(Default)]
pub(crate) struct Ears {
    settled: Option<oneshot::Receiver<Result<u64, EngineError>>>,
    queue: Option<mpsc::Receiver<FeedItem>>,
}

impl Ears {
    /// `version` is what is true before the send.
    pub(crate) fn open(feed: &Feed, listen: Listen, version: u64) -> Self {
        match listen {
            Listen::Nothing => Self::default(),
            Listen::Settled => Self { settled: Some(feed.settled(version)), queue: None },
            Listen::Everything => Self { settled: None, queue: feed.attach() },
        }
    }
}

/// What becomes true together with a message: who is to be told of what follows, and that its key is used.
#[derive(Default)]
pub(crate) struct Enclosed {
    pub(crate) push: Option<Placing>,
    pub(crate) key: Option<HeldKey>,
}

impl Enclosed {
    /// What the journal is given beside the message, when the task was at `version` before it.
    pub(crate) fn beside(
        &self,
        inner: &Inner,
        principal: &Arc<Principal>,
        task: &TaskId,
        version: u64,
    ) -> Result<Commit, EngineError> {
        let mut beside = Commit::default();
        if let Some(placing) = &self.push {
            beside.outbox.push(placing.entry(version, TaskState::Working, inner.ports.clock.now())?);
        }
        beside.claims.extend(self.key.iter().map(|key| key.claim(principal, task, version + 1)));
        Ok(beside)
    }

    /// Keeps what is enclosed to itself until the journal has answered.
    pub(crate) fn seal(self, inner: &Inner, receipt: Receipt) -> Receipt {
        if self.is_empty() { receipt } else { inner.keep_until(receipt, self) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.push.is_none() && self.key.is_none()
    }
}

impl Engine {
    /// Sends and returns as soon as the journal has it.
    pub async fn send(&self, principal: &Arc<Principal>, mut command: SendCommand) -> Result<Sent, EngineError> {
        let key = match self.inner.occasion(principal, &mut command).await? {
            Occasion::First(key) => key,
            Occasion::Again(again) => return Ok(Sent { task: self.inner.repeated(principal, &again).await? }),
        };
        let queued = self.inner.queue(principal, command, key, Listen::Nothing).await?;
        let task = Arc::new(queued.task.view());
        self.inner.acknowledge(queued).await?;
        Ok(Sent { task })
    }

    /// Sends and waits until the task ends or needs input.
    pub async fn send_and_settle(
        &self,
        principal: &Arc<Principal>,
        mut command: SendCommand,
    ) -> Result<Arc<TaskView>, EngineError> {
        let key = match self.inner.occasion(principal, &mut command).await? {
            Occasion::First(key) => key,
            Occasion::Again(again) => {
                self.inner.repeated(principal, &again).await?;
                return self.inner.settled(&again.task).await;
            }
        };
        let mut queued = self.inner.queue(principal, command, key, Listen::Settled).await?;
        let live = Arc::clone(&queued.live);
        let settled = queued.ears.settled.take().ok_or(EngineError::ShuttingDown)?;
        self.inner.start(queued);
        let number = settled.await.map_err(|_| EngineError::ShuttingDown)??;
        {
            let cell = live.lock();
            if cell.task.version == number {
                return Ok(Arc::new(cell.task.view()));
            }
        }
        // Somebody has queued more since; what the journal has is the truth.
        let task = TaskRef { task: live.id.clone(), agent: None };
        Ok(Arc::new(self.inner.load(principal, &task).await?.view()))
    }

    /// Sends and follows; the stream ends when the task ends or needs input.
    pub async fn send_and_follow(
        &self,
        principal: &Arc<Principal>,
        mut command: SendCommand,
    ) -> Result<Subscription, EngineError> {
        let key = match self.inner.occasion(principal, &mut command).await? {
            Occasion::First(key) => key,
            Occasion::Again(again) => return self.inner.follow_repeated(principal, &again).await,
        };
        let mut queued = self.inner.queue(principal, command, key, Listen::Everything).await?;
        let queue = queued.ears.queue.take().ok_or(EngineError::ShuttingDown)?;
        let (feed, task) = (Arc::clone(&queued.live.feed), queued.task.clone());
        self.inner.acknowledge(queued).await?;
        Ok(Subscription::of_send(&self.inner, &task, feed, queue))
    }
}

impl Inner {
    async fn queue(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        mut command: SendCommand,
        key: Option<HeldKey>,
        listen: Listen,
    ) -> Result<Queued, EngineError> {
        self.accepting()?;
        let spec =
            self.ports.agents.agent(&command.agent).ok_or_else(|| EngineError::AgentNotFound(command.agent.clone()))?;
        // Under a key it was admitted before the key was held.
        if key.is_none()
            && let Some(config) = command.push.take()
        {
            command.push = Some(self.admitted(config).await?);
        }
        match command.message.task.clone() {
            None => {
                let pinned =
                    self.pin(principal, &spec, command.message.context.as_ref(), command.wishes.as_deref()).await?;
                self.submit(principal, command, key, &pinned, listen)
            }
            Some(task) => self.go_on(principal, &task, command, key, &spec, listen).await,
        }
    }

    /// Starts the run, which also sees to the receipt.
    fn start(self: &Arc<Self>, queued: Queued) {
        if queued.drive {
            self.spawn_driver(queued.live, queued.receipt);
        } else if let Some(receipt) = queued.receipt {
            self.see_through(queued.live, receipt);
        }
    }

    /// Starts the run at once, and returns when the journal has the send.
    async fn acknowledge(self: &Arc<Self>, queued: Queued) -> Result<(), EngineError> {
        let Queued { live, receipt: Some(receipt), drive, .. } = queued else { return Ok(()) };
        if !drive {
            let seen_through = self.see_through(live, receipt).await;
            return Ok(seen_through.map_err(|_| EngineError::ShuttingDown)??);
        }
        self.spawn_driver(Arc::clone(&live), None);
        if let Err(error) = receipt.await {
            self.broke(&live, &error);
            return Err(error.into());
        }
        Ok(())
    }

    /// Awaits a receipt that no driver awaits, also when the sender hangs up meanwhile.
    pub(crate) fn see_through(
        self: &Arc<Self>,
        live: Arc<LiveTask>,
        receipt: Receipt,
    ) -> JoinHandle<Result<(), JournalError>> {
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            match receipt.await {
                Ok(_) => inner.rest(&live),
                Err(error) => {
                    inner.broke(&live, &error);
                    return Err(error);
                }
            }
            Ok(())
        })
    }
}

/// An inconsistency inside Baton, not the caller's doing.
pub(crate) fn internal(detail: &str) -> EngineError {
    EngineError::Invalid { code: ErrorCode::INTERNAL, field: String::new(), detail: detail.to_owned() }
}
