//! What all clients of the loop share.

use super::link::Link;
use crate::{Keyed, Receiver, Webhook};
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

/// Acknowledged tasks that have not ended; senders wait when there are more.
const MAX_OPEN: usize = 32;

/// What all clients share.
pub(super) struct Crowd {
    pub(super) seed: u64,
    pub(super) link: Link,
    pub(super) room: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
    open: Mutex<BTreeMap<TaskId, &'static str>>,
    pub(super) webhook: Webhook,
    receivers: Mutex<Vec<Receiver>>,
    keyed: Mutex<Vec<Keyed>>,
    pub(super) counts: Counts,
}

/// What happened, for the summary.
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

/// A task that its sender knows to exist.
pub(super) struct Acknowledged {
    pub(super) agent: &'static str,
    pub(super) task: TaskId,
    pub(super) beginning: Beginning,
    /// Held until the task has ended.
    pub(super) room: OwnedSemaphorePermit,
}

/// How its subscriber begins.
pub(super) enum Beginning {
    /// With the stream of the send, whose first item is the acknowledgement.
    Stream(Box<(EventStream, StreamEvent)>),
    /// With the task as it is.
    Fresh,
    /// With everything after the first event.
    Replay,
}

impl Crowd {
    pub(super) fn new(seed: u64, link: Link, stopping: watch::Receiver<bool>, webhook: Webhook) -> Self {
        Self {
            seed,
            link,
            room: Arc::new(Semaphore::new(MAX_OPEN)),
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

    pub(super) fn opened(&self, task: &TaskId, agent: &'static str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(task.clone(), agent);
    }

    pub(super) fn ended(&self, task: &TaskId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(task);
    }

    /// A receiver that a message names.
    pub(super) fn registered(&self, receiver: Receiver) {
        self.receivers.lock().unwrap_or_else(PoisonError::into_inner).push(receiver);
    }

    /// All receivers, without what was brought to them.
    pub(super) fn receivers(&self) -> Vec<Receiver> {
        self.receivers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A message that was sent under a key for the last time.
    pub(super) fn keyed(&self, keyed: Keyed) {
        self.keyed.lock().unwrap_or_else(PoisonError::into_inner).push(keyed);
    }

    /// All messages that were sent under keys.
    pub(super) fn all_keyed(&self) -> Vec<Keyed> {
        self.keyed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tasks whose end no subscriber has seen.
    pub(super) fn open(&self) -> Vec<TaskId> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}
