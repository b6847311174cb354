//! Bounded queue of batches for the writer.

use crate::wal::EncodedBatch;
use baton_span_ports::SpanStoreError;
use parking_lot::{Condvar, Mutex};
use std::{collections::VecDeque, time::Instant};
use tokio::sync::oneshot;

/// A queued batch.
pub(crate) struct PendingBatch {
    /// The encoded batch.
    pub(crate) entry: EncodedBatch,
    pub(crate) mark: Option<(&'static str, u64)>,
    pub(crate) done: oneshot::Sender<Result<(), SpanStoreError>>,
}

/// Queued batches, oldest first.
pub(super) struct IngestQueue {
    state: Mutex<IngestQueueState>,
    arrived: Condvar,
    max_spans: usize,
    max_bytes: usize,
}

#[derive(Default)]
struct IngestQueueState {
    waiting: VecDeque<PendingBatch>,
    spans: usize,
    bytes: usize,
    /// Pending flush requests; each is answered with the number of the last generation to be flushed.
    flushes: Vec<oneshot::Sender<u64>>,
    closed: bool,
}

/// Work for the writer.
#[derive(Default)]
pub(super) struct WriterWork {
    pub(super) group: Vec<PendingBatch>,
    pub(super) flushes: Vec<oneshot::Sender<u64>>,
    /// No further work will come.
    pub(super) closed: bool,
}

/// Reason for rejecting a batch; a full queue returns the batch.
pub(crate) enum EnqueueError {
    Full(Box<PendingBatch>),
    Closed,
}

/// Limits of a group, which is one frame of the log, so that a sync does not take long.
const MAX_GROUP_SPANS: usize = 32 * 1024;
const MAX_GROUP_BYTES: usize = 16 << 20;

impl IngestQueue {
    pub(super) fn new(max_spans: usize, max_bytes: usize) -> Self {
        Self { state: Mutex::default(), arrived: Condvar::new(), max_spans, max_bytes }
    }

    /// Whether that many spans would be rejected; checked before they are encoded.
    pub(super) fn is_full(&self, spans: usize) -> bool {
        let state = self.state.lock();
        !state.waiting.is_empty() && state.spans + spans > self.max_spans
    }

    /// Adds a batch, unless the queue is full; a batch larger than the limits is accepted when the queue is empty.
    pub(super) fn push(&self, waiting: PendingBatch) -> Result<(), EnqueueError> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(EnqueueError::Closed);
        }
        let (spans, bytes) = (state.spans + waiting.entry.bodies.len(), state.bytes + waiting.entry.payload.len());
        if !state.waiting.is_empty() && (spans > self.max_spans || bytes > self.max_bytes) {
            return Err(EnqueueError::Full(Box::new(waiting)));
        }
        (state.spans, state.bytes) = (spans, bytes);
        state.waiting.push_back(waiting);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Requests a flush; the receiver gets the number of the generation.
    pub(super) fn request_flush(&self) -> Option<oneshot::Receiver<u64>> {
        let mut state = self.state.lock();
        if state.closed || state.flushes.len() >= MAX_PENDING_FLUSHES {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        state.flushes.push(sender);
        drop(state);
        self.arrived.notify_one();
        Some(receiver)
    }

    /// Waits for work or until the deadline.
    pub(super) fn take(&self, until: Option<Instant>) -> WriterWork {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && state.flushes.is_empty() && !state.closed {
            match until {
                Some(until) if self.arrived.wait_until(&mut state, until).timed_out() => break,
                Some(_) => {}
                None => self.arrived.wait(&mut state),
            }
        }
        let mut work = WriterWork::default();
        let (mut spans, mut bytes) = (0, 0);
        while spans < MAX_GROUP_SPANS
            && bytes < MAX_GROUP_BYTES
            && let Some(waiting) = state.waiting.pop_front()
        {
            spans += waiting.entry.bodies.len();
            bytes += waiting.entry.payload.len();
            work.group.push(waiting);
        }
        state.spans -= spans;
        state.bytes -= bytes;
        // A flush covers everything queued before it.
        if state.waiting.is_empty() {
            work.flushes = std::mem::take(&mut state.flushes);
            work.closed = state.closed;
        }
        work
    }

    /// Closes the queue; queued batches are still written.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.arrived.notify_all();
    }
}

const MAX_PENDING_FLUSHES: usize = 64;
