//! A bounded queue from many callers to a few threads.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;

/// Items with an approximate size in bytes.
pub(super) struct JobQueue<T> {
    state: Mutex<QueueState<T>>,
    filled: Condvar,
    max_items: usize,
    max_bytes: usize,
}

struct QueueState<T> {
    items: VecDeque<(T, usize)>,
    bytes: usize,
    closed: bool,
    woken: bool,
}

/// Whether to wait for an item if the queue is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    Yes,
    No,
}

/// Reason of a failed push; returns the item.
pub(super) enum PushError<T> {
    Full(T),
    Closed(T),
}

impl<T> JobQueue<T> {
    pub(super) fn new(max_items: usize, max_bytes: usize) -> Self {
        let waiting = QueueState { items: VecDeque::new(), bytes: 0, closed: false, woken: false };
        Self { state: Mutex::new(waiting), filled: Condvar::new(), max_items, max_bytes }
    }

    /// Queues without waiting. An item above the byte limit is accepted if the queue is empty; otherwise it could never
    /// pass.
    pub(super) fn push(&self, item: T, bytes: usize) -> Result<(), PushError<T>> {
        self.push_quietly(item, bytes)?;
        self.filled.notify_one();
        Ok(())
    }

    /// Queues without waking a thread; returns the number of queued items.
    pub(super) fn push_quietly(&self, item: T, bytes: usize) -> Result<usize, PushError<T>> {
        let mut waiting = self.state.lock();
        if waiting.closed {
            return Err(PushError::Closed(item));
        }
        let too_many = waiting.items.len() >= self.max_items;
        let too_large = !waiting.items.is_empty() && waiting.bytes.saturating_add(bytes) > self.max_bytes;
        if too_many || too_large {
            return Err(PushError::Full(item));
        }
        waiting.bytes += bytes;
        waiting.items.push_back((item, bytes));
        Ok(waiting.items.len())
    }

    /// Waits for an item, or until it is woken; false if the queue is closed and empty.
    pub(super) fn wait(&self, wait: Wait) -> bool {
        let mut waiting = self.state.lock();
        if waiting.items.is_empty() && !waiting.closed && !waiting.woken && wait == Wait::Yes {
            self.filled.wait_while(&mut waiting, |state| state.items.is_empty() && !state.closed && !state.woken);
        }
        waiting.woken = false;
        !(waiting.items.is_empty() && waiting.closed)
    }

    /// Ends a wait without an item.
    pub(super) fn wake(&self) {
        self.state.lock().woken = true;
        self.filled.notify_all();
    }

    /// Number of queued items, and whether the queue is closed.
    pub(super) fn status(&self) -> (usize, bool) {
        let state = self.state.lock();
        (state.items.len(), state.closed)
    }

    /// Moves items to `taken`, up to the limits; false if the queue is closed and empty.
    pub(super) fn take(&self, batch: &mut Vec<T>, max_items: usize, max_bytes: usize, wait: Wait) -> bool {
        let mut waiting = self.state.lock();
        while waiting.items.is_empty() {
            if waiting.closed {
                return false;
            }
            if wait == Wait::No {
                return true;
            }
            self.filled.wait(&mut waiting);
        }
        let mut bytes = 0;
        while batch.len() < max_items && bytes < max_bytes {
            let Some((item, size)) = waiting.items.pop_front() else { break };
            bytes += size;
            batch.push(item);
        }
        waiting.bytes = waiting.bytes.saturating_sub(bytes);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.state.lock().items.len()
    }

    /// Rejects new items; queued items are still processed.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_all();
    }

    /// Rejects new items and returns the queued ones, because no thread is left to process them.
    pub(super) fn abandon(&self) -> Vec<T> {
        let mut waiting = self.state.lock();
        waiting.closed = true;
        waiting.bytes = 0;
        waiting.items.drain(..).map(|(item, _)| item).collect()
    }
}
