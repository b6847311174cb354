//! Bounded queue of batches for the writer.

use crate::wal::Written;
use baton_ports::SpanStoreError;
use parking_lot::{Condvar, Mutex};
use std::{collections::VecDeque, time::Instant};
use tokio::sync::oneshot;

/// A queued batch.
pub(crate) struct Waiting {
    /// The encoded batch.
    pub(crate) entry: Written,
    pub(crate) mark: Option<(&'static str, u64)>,
    pub(crate) done: oneshot::Sender<Result<(), SpanStoreError>>,
}

/// Queued batches, oldest first.
pub(super) struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    most_spans: usize,
    most_bytes: usize,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    spans: usize,
    bytes: usize,
    /// Pending flush requests; each is answered with the number of the last generation to be flushed.
    flushes: Vec<oneshot::Sender<u64>>,
    closed: bool,
}

/// Work for the writer.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) group: Vec<Waiting>,
    pub(super) flushes: Vec<oneshot::Sender<u64>>,
    /// No further work will come.
    pub(super) closed: bool,
}

/// Reason for rejecting a batch; a full queue returns the batch.
pub(crate) enum Refused {
    Full(Waiting),
    Closed,
}

/// Limits of a group, which is one frame of the log, so that a sync does not take long.
const GROUP_SPANS: usize = 32 * 1024;
const GROUP_BYTES: usize = 16 << 20;

impl Queue {
    pub(super) fn new(most_spans: usize, most_bytes: usize) -> Self {
        Self { state: Mutex::default(), arrived: Condvar::new(), most_spans, most_bytes }
    }

    /// Whether that many spans would be rejected; checked before they are encoded.
    pub(super) fn is_full(&self, spans: usize) -> bool {
        let state = self.state.lock();
        !state.waiting.is_empty() && state.spans + spans > self.most_spans
    }

    /// Adds a batch, unless the queue is full; a batch larger than the limits is accepted when the queue is empty.
    pub(super) fn push(&self, waiting: Waiting) -> Result<(), Refused> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Refused::Closed);
        }
        let (spans, bytes) = (state.spans + waiting.entry.bodies.len(), state.bytes + waiting.entry.payload.len());
        if !state.waiting.is_empty() && (spans > self.most_spans || bytes > self.most_bytes) {
            return Err(Refused::Full(waiting));
        }
        (state.spans, state.bytes) = (spans, bytes);
        state.waiting.push_back(waiting);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Requests a flush; the receiver gets the number of the generation.
    pub(super) fn ask_flush(&self) -> Option<oneshot::Receiver<u64>> {
        let mut state = self.state.lock();
        if state.closed || state.flushes.len() >= MOST_FLUSHES {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        state.flushes.push(sender);
        drop(state);
        self.arrived.notify_one();
        Some(receiver)
    }

    /// Waits for work or until the deadline.
    pub(super) fn take(&self, until: Option<Instant>) -> Taken {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && state.flushes.is_empty() && !state.closed {
            match until {
                Some(until) if self.arrived.wait_until(&mut state, until).timed_out() => break,
                Some(_) => {}
                None => self.arrived.wait(&mut state),
            }
        }
        let mut taken = Taken::default();
        let (mut spans, mut bytes) = (0, 0);
        while spans < GROUP_SPANS
            && bytes < GROUP_BYTES
            && let Some(waiting) = state.waiting.pop_front()
        {
            spans += waiting.entry.bodies.len();
            bytes += waiting.entry.payload.len();
            taken.group.push(waiting);
        }
        state.spans -= spans;
        state.bytes -= bytes;
        // A flush covers everything queued before it.
        if state.waiting.is_empty() {
            taken.flushes = std::mem::take(&mut state.flushes);
            taken.closed = state.closed;
        }
        taken
    }

    /// Closes the queue; queued batches are still written.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.arrived.notify_all();
    }
}

const MOST_FLUSHES: usize = 64;
