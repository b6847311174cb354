//! In-memory queue of the push dispatcher: open outbox entries and their stages.
//!
//! Delivery progress is stored in the journal only. The commit observer, the commands and the dispatcher change the
//! stages, under one lock that is never held across an await.

use super::host_queues::{DeliveryKind, HostQueues, ReceiverHost};
use crate::EngineError;
use baton_ports::{CommitObserver, JournalError, OutboxEntry, OutboxProgress, StoredEvent};
use baton_types::{JournalEvent, PushConfig, PushConfigId, StreamId, TaskId, Timestamp};
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Maximum open entries; more are rejected as busy.
const MAX_OPEN: usize = 262_144;

/// Maximum retry delay. A due time further ahead was stored before the clock was set back, and is ignored.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(40);

/// Whether `due` has been reached.
pub(super) fn is_due(due: Timestamp, now: Timestamp) -> bool {
    due <= now || due > now.after(MAX_RETRY_DELAY)
}

/// Key of a push configuration: the task and the configuration id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PushKey {
    pub(crate) task: TaskId,
    pub(crate) config: PushConfigId,
}

impl PushKey {
    /// Outbox entry id; a task id contains no slash.
    pub(crate) fn entry_id(&self) -> String {
        format!("{}/{}", self.task, self.config)
    }

    pub(crate) fn from_entry(entry: &OutboxEntry) -> Option<Self> {
        let (task, config) = entry.id.split_once('/')?;
        Some(Self { task: task.into(), config: config.into() })
    }
}

/// Open outbox entries.
#[derive(Default)]
pub(crate) struct DeliveryQueue {
    state: Mutex<DeliveryQueueState>,
    /// Copy of `state.open`, readable without the lock.
    open: AtomicUsize,
    /// Wakes the dispatcher.
    pub(super) wakeup: Notify,
}

#[derive(Default)]
struct DeliveryQueueState {
    tasks: HashMap<TaskId, HashMap<PushConfigId, DeliveryEntry>>,
    open: usize,
    queues: HostQueues,
    timers: BTreeSet<(Timestamp, PushKey)>,
}

#[derive(Default)]
struct DeliveryEntry {
    stage: DeliveryStage,
    receiver: ReceiverHost,
    /// Number of commands that are changing the entry; it is not delivered meanwhile.
    pending_changes: u32,
}

#[derive(Default)]
enum DeliveryStage {
    /// All events are delivered.
    #[default]
    Idle,
    /// Queued for its host.
    Ready,
    /// A delivery is in flight.
    InFlight {
        /// Whether new events arrived since the delivery started.
        has_new_events: bool,
        /// Kind of the delivery when it was queued.
        kind: DeliveryKind,
        receiver: ReceiverHost,
        stop: CancellationToken,
        ended: CancellationToken,
    },
    /// Time of the next retry.
    RetryAt(Timestamp),
}

/// A delivery to start now.
pub(super) struct DueDelivery {
    pub(super) key: PushKey,
    /// Cancels the delivery.
    pub(super) stop: CancellationToken,
}

/// Result of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryOutcome {
    /// All events so far are delivered.
    CaughtUp,
    /// Retry at this time.
    RetryAt(Timestamp),
    /// The entry is closed.
    Closed,
    /// The delivery was canceled.
    Stopped,
}

impl DeliveryQueue {
    /// Begins a change of an entry: create, replace, or remove when `config` is `None`. If a delivery is in flight,
    /// cancels it and returns a token that is canceled when it has ended.
    pub(super) fn begin_change(
        &self,
        key: &PushKey,
        config: Option<&PushConfig>,
    ) -> Result<Option<CancellationToken>, EngineError> {
        let mut state = self.state.lock();
        if config.is_some() && state.entry(key).is_none() && state.open >= MAX_OPEN {
            return Err(EngineError::Journal(JournalError::Busy));
        }
        if let Some(config) = config {
            state.set_receiver(key, ReceiverHost::from_url(&config.url));
        }
        let entry = state.open_entry(key);
        entry.pending_changes += 1;
        let in_flight = match &entry.stage {
            DeliveryStage::InFlight { stop, ended, .. } => {
                stop.cancel();
                Some(ended.clone())
            }
            _ => None,
        };
        self.open.store(state.open, Ordering::Release);
        Ok(in_flight)
    }

    /// Ends a change, whether or not it was committed.
    pub(super) fn end_change(&self, key: &PushKey) {
        let mut state = self.state.lock();
        let entry = state.open_entry(key);
        entry.pending_changes = entry.pending_changes.saturating_sub(1);
        state.wake(key, Wake::Now);
        self.open.store(state.open, Ordering::Release);
        drop(state);
        self.wakeup.notify_one();
    }

    /// Restores an open entry of an earlier process.
    pub(super) fn restore(&self, key: &PushKey, receiver: ReceiverHost, progress: &OutboxProgress) {
        let mut state = self.state.lock();
        if state.entry(key).is_none() {
            state.set_receiver(key, receiver);
            if progress.attempts == 0 {
                state.wake(key, Wake::Now);
            } else {
                state.open_entry(key).stage = DeliveryStage::RetryAt(progress.due_at);
                state.timers.insert((progress.due_at, key.clone()));
            }
            self.open.store(state.open, Ordering::Release);
            drop(state);
            self.wakeup.notify_one();
        }
    }

    /// Records whether the receiver of an in-flight delivery accepted a notification.
    pub(super) fn record_response(&self, key: &PushKey, accepted: bool) {
        let mut state = self.state.lock();
        let Some(DeliveryEntry { stage: DeliveryStage::InFlight { receiver, .. }, .. }) = state.entry(key) else {
            return;
        };
        let receiver = *receiver;
        if state.queues.record_response(receiver, accepted) {
            drop(state);
            self.wakeup.notify_one();
        }
    }

    /// Takes the deliveries to start now and the time of the next retry.
    pub(super) fn take_due(&self, now: Timestamp) -> (Vec<DueDelivery>, Option<Timestamp>) {
        let mut state = self.state.lock();
        while let Some(key) = state.next_due(now) {
            if let Some(entry) = state.entry(&key) {
                entry.stage = DeliveryStage::Ready;
                let receiver = entry.receiver;
                state.queues.queue(receiver, DeliveryKind::Retry, key);
            }
        }
        let mut deliveries = Vec::new();
        while let Some((key, receiver, kind)) = state.queues.next() {
            let entry = state.entry(&key).filter(|entry| matches!(entry.stage, DeliveryStage::Ready));
            if let Some(entry) = entry {
                if entry.pending_changes == 0 {
                    let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
                    entry.stage =
                        DeliveryStage::InFlight { has_new_events: false, kind, receiver, stop: stop.clone(), ended };
                    deliveries.push(DueDelivery { key, stop });
                    continue;
                }
                entry.stage = DeliveryStage::Idle;
            }
            state.queues.finish(receiver, kind);
        }
        (deliveries, state.timers.first().map(|(due, _)| *due))
    }

    /// Ends an in-flight delivery.
    pub(super) fn finish(&self, key: &PushKey, outcome: DeliveryOutcome) {
        let mut state = self.state.lock();
        let Some(entry) = state.entry(key) else { return };
        let DeliveryStage::InFlight { has_new_events, kind, receiver, ended, .. } = std::mem::take(&mut entry.stage)
        else {
            return;
        };
        let is_paused = entry.pending_changes > 0;
        ended.cancel();
        state.queues.finish(receiver, kind);
        match outcome {
            _ if is_paused => {}
            DeliveryOutcome::RetryAt(due) => {
                if let Some(entry) = state.entry(key) {
                    entry.stage = DeliveryStage::RetryAt(due);
                }
                state.timers.insert((due, key.clone()));
            }
            DeliveryOutcome::Stopped => state.wake(key, Wake::Now),
            _ if has_new_events => state.wake(key, Wake::Now),
            DeliveryOutcome::CaughtUp => {}
            DeliveryOutcome::Closed => state.forget(key),
        }
        self.open.store(state.open, Ordering::Release);
        drop(state);
        self.wakeup.notify_one();
    }

    fn wake_task(&self, task: &TaskId) {
        let mut state = self.state.lock();
        let Some(entries) = state.tasks.get(task) else { return };
        let keys: Vec<PushKey> =
            entries.keys().map(|config| PushKey { task: task.clone(), config: config.clone() }).collect();
        for key in &keys {
            state.wake(key, Wake::WhenDue);
        }
        drop(state);
        self.wakeup.notify_one();
    }
}

impl CommitObserver for DeliveryQueue {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        if self.open.load(Ordering::Acquire) == 0 {
            return;
        }
        for stream in events.chunk_by(|left, right| left.stream == right.stream) {
            let shown = stream.iter().any(|event| matches!(&event.fact, JournalEvent::Task(fact) if fact.is_visible()));
            if let Some(StreamId::Task(task)) = stream.first().map(|event| &event.stream)
                && shown
            {
                self.wake_task(task);
            }
        }
    }
}

/// Urgency of a wake-up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wake {
    Now,
    /// Keeps the retry delay after a failure.
    WhenDue,
}

impl DeliveryQueueState {
    fn entry(&mut self, key: &PushKey) -> Option<&mut DeliveryEntry> {
        self.tasks.get_mut(&key.task)?.get_mut(&key.config)
    }

    /// Takes the next due entry off the timers.
    fn next_due(&mut self, now: Timestamp) -> Option<PushKey> {
        if self.timers.first().is_some_and(|(due, _)| is_due(*due, now)) {
            return self.timers.pop_first().map(|(_, key)| key);
        }
        // An entry timed before the clock was set back may sort after later ones.
        let last = self.timers.last().is_some_and(|(due, _)| is_due(*due, now));
        last.then(|| self.timers.pop_last()).flatten().map(|(_, key)| key)
    }

    fn open_entry(&mut self, key: &PushKey) -> &mut DeliveryEntry {
        if self.entry(key).is_none() {
            self.open += 1;
            self.queues.open(ReceiverHost::default());
        }
        self.tasks.entry(key.task.clone()).or_default().entry(key.config.clone()).or_default()
    }

    /// Opens an entry or moves it to another receiver.
    fn set_receiver(&mut self, key: &PushKey, receiver: ReceiverHost) {
        let entry = self.open_entry(key);
        let previous = std::mem::replace(&mut entry.receiver, receiver);
        if previous == receiver {
            return;
        }
        if matches!(entry.stage, DeliveryStage::Ready) {
            // Callers wake the entry afterwards.
            entry.stage = DeliveryStage::Idle;
            self.queues.remove(previous, key);
        }
        self.queues.close(previous);
        self.queues.open(receiver);
    }

    fn wake(&mut self, key: &PushKey, wake: Wake) {
        let Some(entry) = self.entry(key).filter(|entry| entry.pending_changes == 0) else { return };
        match &mut entry.stage {
            DeliveryStage::Ready => {}
            DeliveryStage::InFlight { has_new_events, .. } => *has_new_events = true,
            DeliveryStage::RetryAt(_) if wake == Wake::WhenDue => {}
            DeliveryStage::Idle => {
                entry.stage = DeliveryStage::Ready;
                let receiver = entry.receiver;
                self.queues.queue(receiver, DeliveryKind::Fresh, key.clone());
            }
            DeliveryStage::RetryAt(due) => {
                let timer = (*due, key.clone());
                entry.stage = DeliveryStage::Ready;
                let receiver = entry.receiver;
                self.timers.remove(&timer);
                self.queues.queue(receiver, DeliveryKind::Fresh, timer.1);
            }
        }
    }

    fn forget(&mut self, key: &PushKey) {
        let Some(entries) = self.tasks.get_mut(&key.task) else { return };
        let removed = entries.remove(&key.config);
        if entries.is_empty() {
            self.tasks.remove(&key.task);
        }
        if let Some(entry) = removed {
            self.open -= 1;
            self.queues.close(entry.receiver);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn due_count(queue: &DeliveryQueue, now: i64) -> usize {
        queue.take_due(at(now)).0.len()
    }

    #[test]
    fn events_during_a_delivery_are_not_missed() {
        let queue = DeliveryQueue::default();
        let key = PushKey { task: "t".into(), config: "c".into() };
        queue.begin_change(&key, None).unwrap();
        queue.wake_task(&key.task);
        assert_eq!(due_count(&queue, 0), 0, "the entry is being changed");
        queue.end_change(&key);
        assert_eq!((due_count(&queue, 0), due_count(&queue, 0)), (1, 0), "one delivery at a time");
        queue.wake_task(&key.task);
        queue.finish(&key, DeliveryOutcome::CaughtUp);
        assert_eq!(due_count(&queue, 0), 1, "an event arrived during the delivery");

        queue.finish(&key, DeliveryOutcome::RetryAt(at(10)));
        queue.wake_task(&key.task);
        assert_eq!((due_count(&queue, 9), due_count(&queue, 10)), (0, 1), "the pause is kept");
        queue.finish(&key, DeliveryOutcome::RetryAt(at(9_000_000)));
        assert_eq!(due_count(&queue, 10), 1, "the clock was set back");
        let over = queue.begin_change(&key, None).unwrap().unwrap();
        assert!(!over.is_cancelled());
        queue.finish(&key, DeliveryOutcome::Closed);
        assert!(over.is_cancelled());
        queue.end_change(&key);
        assert_eq!(due_count(&queue, 10), 1, "the change may have reopened the entry");
        queue.finish(&key, DeliveryOutcome::Closed);
        queue.wake_task(&key.task);
        assert_eq!((due_count(&queue, 99), queue.open.load(Ordering::Relaxed)), (0, 0), "the entry is removed");
        assert!(queue.state.lock().tasks.is_empty());
    }
}
