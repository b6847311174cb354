//! Buffer of committed events for the projector.

use baton_ports::{CommitObserver, StoredEvent};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// Upper bound of buffered events; beyond it the journal is read instead.
const MAX_BUFFERED_EVENTS: usize = 65_536;

pub(super) struct CommitBuffer {
    state: Mutex<CommitBufferState>,
    wake: Notify,
}

struct CommitBufferState {
    events: Vec<Arc<StoredEvent>>,
    /// Whether events were dropped, so that the journal must be read.
    missed: bool,
}

impl Default for CommitBuffer {
    /// Events before the subscription count as missed.
    fn default() -> Self {
        Self { state: Mutex::new(CommitBufferState { events: Vec::new(), missed: true }), wake: Notify::new() }
    }
}

impl CommitBuffer {
    /// Events since the last call, in order; `None` if the journal must be read. Waits for the first event and a little
    /// longer for further ones.
    pub(super) async fn wait_for_events(&self, gather: Duration) -> Option<Vec<Arc<StoredEvent>>> {
        loop {
            let woken = self.wake.notified();
            let ready = {
                let state = self.state.lock();
                state.missed || !state.events.is_empty()
            };
            if ready {
                tokio::time::sleep(gather).await;
                return self.drain();
            }
            woken.await;
        }
    }

    /// Buffered events; `None` if the journal must be read.
    pub(super) fn drain(&self) -> Option<Vec<Arc<StoredEvent>>> {
        let mut state = self.state.lock();
        let events = std::mem::take(&mut state.events);
        match std::mem::take(&mut state.missed) {
            true => None,
            false => Some(events),
        }
    }

    /// Buffered events; `None` if the journal must be read, which is left to the next [`Self::wait_for_events`].
    pub(super) fn drain_unless_missed(&self) -> Option<Vec<Arc<StoredEvent>>> {
        let mut state = self.state.lock();
        (!state.missed).then(|| std::mem::take(&mut state.events))
    }

    /// Clears the buffer; the journal must be read again.
    pub(super) fn mark_missed(&self) {
        let mut state = self.state.lock();
        state.events.clear();
        state.missed = true;
    }
}

impl CommitObserver for CommitBuffer {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        {
            let mut state = self.state.lock();
            if state.missed {
                return self.wake.notify_one();
            }
            if state.events.len() + events.len() > MAX_BUFFERED_EVENTS {
                state.events = Vec::new();
                state.missed = true;
            } else {
                state.events.extend_from_slice(events);
            }
        }
        self.wake.notify_one();
    }
}
