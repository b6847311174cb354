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
        let waiting = QueueState { items: VecDeque::new(), bytes: 0, closed: false };
        Self { state: Mutex::new(waiting), filled: Condvar::new(), max_items, max_bytes }
    }

    /// Queues without waiting. An item above the byte limit is accepted if the queue is empty; otherwise it could never
    /// pass.
    pub(super) fn push(&self, item: T, bytes: usize) -> Result<(), PushError<T>> {
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
        drop(waiting);
        self.filled.notify_one();
        Ok(())
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
