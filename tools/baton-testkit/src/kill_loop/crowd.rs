//! Shared state of all clients of the loop.

use super::link::ServerLink;
use crate::{KeyedMessage, Receiver, Webhook};
use baton_client::{EventStream, StreamEvent};
use baton_types::TaskId;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Upper bound of acknowledged tasks that have not ended; senders wait at the limit.
const MAX_OPEN: usize = 32;

/// Shared state of all clients.
pub(super) struct LoopState {
    pub(super) seed: u64,
    pub(super) link: ServerLink,
    pub(super) task_slots: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
    open: Mutex<BTreeMap<TaskId, &'static str>>,
    pub(super) webhook: Webhook,
    receivers: Mutex<Vec<Receiver>>,
    keyed: Mutex<Vec<KeyedMessage>>,
    pub(super) counts: Counts,
}

/// Counters for the summary.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) unacknowledged: Count,
    pub(super) reconnects: Count,
    pub(super) answers: Count,
}

#[derive(Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A task whose send was acknowledged.
pub(super) struct AcknowledgedTask {
    pub(super) agent: &'static str,
    pub(super) task: TaskId,
    pub(super) first_stream: FirstStream,
    /// Held until the task has ended.
    pub(super) permit: OwnedSemaphorePermit,
}

/// First stream of the task's subscriber.
pub(super) enum FirstStream {
    /// The stream of the send; its first item is the acknowledgement.
    Stream(Box<(EventStream, StreamEvent)>),
    /// A subscription without a cursor.
    Fresh,
    /// A replay of all events after the first.
    Replay,
}

impl LoopState {
    pub(super) fn new(seed: u64, link: ServerLink, stopping: watch::Receiver<bool>, webhook: Webhook) -> Self {
        Self {
            seed,
            link,
            task_slots: Arc::new(Semaphore::new(MAX_OPEN)),
            stopping,
            open: Mutex::default(),
            webhook,
            receivers: Mutex::default(),
            keyed: Mutex::default(),
            counts: Counts::default(),
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    pub(super) fn add_open_task(&self, task: &TaskId, agent: &'static str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(task.clone(), agent);
    }

    pub(super) fn remove_open_task(&self, task: &TaskId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(task);
    }

    /// Records a receiver that a message registers.
    pub(super) fn add_receiver(&self, receiver: Receiver) {
        self.receivers.lock().unwrap_or_else(PoisonError::into_inner).push(receiver);
    }

    /// All receivers, without their notifications.
    pub(super) fn receivers(&self) -> Vec<Receiver> {
        self.receivers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records a message with an idempotency key after its last send.
    pub(super) fn add_keyed_message(&self, keyed: KeyedMessage) {
        self.keyed.lock().unwrap_or_else(PoisonError::into_inner).push(keyed);
    }

    /// All messages sent with idempotency keys.
    pub(super) fn keyed_messages(&self) -> Vec<KeyedMessage> {
        self.keyed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tasks whose end no subscriber has received.
    pub(super) fn open_tasks(&self) -> Vec<TaskId> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}
