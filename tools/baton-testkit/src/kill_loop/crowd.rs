//! What all clients of the loop share.

use super::link::Link;
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
    pub(super) fn new(seed: u64, link: Link, stopping: watch::Receiver<bool>) -> Self {
        let room = Arc::new(Semaphore::new(MAX_OPEN));
        Self { seed, link, room, stopping, open: Mutex::default(), counts: Counts::default() }
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

    /// Tasks whose end no subscriber has seen.
    pub(super) fn open(&self) -> Vec<TaskId> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}
