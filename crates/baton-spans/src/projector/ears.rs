//! What the journal tells, until somebody has time for it.

use baton_ports::{CommitObserver, StoredEvent};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// Events that may wait; beyond them the journal is read instead.
const MOST: usize = 65_536;

pub(super) struct Ears {
    heard: Mutex<Heard>,
    wake: Notify,
}

struct Heard {
    events: Vec<Arc<StoredEvent>>,
    /// Whether something was not kept: the journal has to be read.
    missed: bool,
}

impl Default for Ears {
    /// What happened before anybody listened was missed.
    fn default() -> Self {
        Self { heard: Mutex::new(Heard { events: Vec::new(), missed: true }), wake: Notify::new() }
    }
}

impl Ears {
    /// What was told since the last time, in order; `None` when the journal has to be read. Waits for something, and a
    /// little longer for what comes with it.
    pub(super) async fn hear(&self, gather: Duration) -> Option<Vec<Arc<StoredEvent>>> {
        loop {
            let woken = self.wake.notified();
            let ready = {
                let heard = self.heard.lock();
                heard.missed || !heard.events.is_empty()
            };
            if ready {
                tokio::time::sleep(gather).await;
                return self.rest();
            }
            woken.await;
        }
    }

    /// What is there now; `None` when the journal has to be read.
    pub(super) fn rest(&self) -> Option<Vec<Arc<StoredEvent>>> {
        let mut heard = self.heard.lock();
        let events = std::mem::take(&mut heard.events);
        match std::mem::take(&mut heard.missed) {
            true => None,
            false => Some(events),
        }
    }

    /// The journal has to be read again.
    pub(super) fn miss(&self) {
        let mut heard = self.heard.lock();
        heard.events.clear();
        heard.missed = true;
    }
}

impl CommitObserver for Ears {
    fn committed(&self, events: &[Arc<StoredEvent>]) {
        {
            let mut heard = self.heard.lock();
            if heard.missed {
                return self.wake.notify_one();
            }
            if heard.events.len() + events.len() > MOST {
                heard.events = Vec::new();
                heard.missed = true;
            } else {
                heard.events.extend_from_slice(events);
            }
        }
        self.wake.notify_one();
    }
}
