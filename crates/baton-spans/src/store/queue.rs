//! What waits for the disk, within bounds.

use crate::wal::Written;
use baton_ports::SpanStoreError;
use parking_lot::{Condvar, Mutex};
use std::{collections::VecDeque, time::Instant};
use tokio::sync::oneshot;

/// A batch that waits.
pub(crate) struct Waiting {
    /// As it is written.
    pub(crate) entry: Written,
    pub(crate) mark: Option<(&'static str, u64)>,
    pub(crate) done: oneshot::Sender<Result<(), SpanStoreError>>,
}

/// Batches that wait, oldest first.
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
    /// Who wants the heads to become blocks now, and is told which ones will.
    flushes: Vec<oneshot::Sender<u64>>,
    closed: bool,
}

/// What the writer finds to do.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) group: Vec<Waiting>,
    pub(super) flushes: Vec<oneshot::Sender<u64>>,
    /// Nothing will come any more.
    pub(super) closed: bool,
}

/// Why a batch was not taken; it comes back.
pub(crate) enum Refused {
    Full(Waiting),
    Closed,
}

/// One frame of the log has at most about this much, so that nobody waits long for a sync.
const GROUP_SPANS: usize = 32 * 1024;
const GROUP_BYTES: usize = 16 << 20;

impl Queue {
    pub(super) fn new(most_spans: usize, most_bytes: usize) -> Self {
        Self { state: Mutex::default(), arrived: Condvar::new(), most_spans, most_bytes }
    }

    /// Whether that many spans would be refused: asked before the work of writing them down.
    pub(super) fn is_full(&self, spans: usize) -> bool {
        let state = self.state.lock();
        !state.waiting.is_empty() && state.spans + spans > self.most_spans
    }

    /// Takes a batch, unless too much waits; one that is larger than the bounds is taken when nothing else waits.
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

    /// Asks that the heads become blocks; answers with their number.
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

    /// Waits until there is something to do or it is that late.
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
        // Whoever asks for a flush means everything that was queued before.
        if state.waiting.is_empty() {
            taken.flushes = std::mem::take(&mut state.flushes);
            taken.closed = state.closed;
        }
        taken
    }

    /// Takes nothing more; what waits is still written.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.arrived.notify_all();
    }
}

const MOST_FLUSHES: usize = 64;
