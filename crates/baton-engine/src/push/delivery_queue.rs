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
        again: bool,
        /// Kind of the delivery when it was queued.
        kind: DeliveryKind,
        receiver: ReceiverHost,
        stop: CancellationToken,
        over: CancellationToken,
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
        let order = state.open_entry(key);
        order.pending_changes += 1;
        let under_way = match &order.stage {
            DeliveryStage::InFlight { stop, over, .. } => {
                stop.cancel();
                Some(over.clone())
            }
            _ => None,
        };
        self.open.store(state.open, Ordering::Release);
        Ok(under_way)
    }

    /// Ends a change, whether or not it was committed.
    pub(super) fn end_change(&self, key: &PushKey) {
        let mut state = self.state.lock();
        let order = state.open_entry(key);
        order.pending_changes = order.pending_changes.saturating_sub(1);
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
    pub(super) fn record_response(&self, key: &PushKey, took: bool) {
        let mut state = self.state.lock();
        let Some(DeliveryEntry { stage: DeliveryStage::InFlight { receiver, .. }, .. }) = state.entry(key) else {
            return;
        };
        let receiver = *receiver;
        if state.queues.record_response(receiver, took) {
            drop(state);
            self.wakeup.notify_one();
        }
    }

    /// Takes the deliveries to start now and the time of the next retry.
    pub(super) fn take_due(&self, now: Timestamp) -> (Vec<DueDelivery>, Option<Timestamp>) {
        let mut state = self.state.lock();
        while let Some(key) = state.next_due(now) {
            if let Some(order) = state.entry(&key) {
                order.stage = DeliveryStage::Ready;
                let receiver = order.receiver;
                state.queues.queue(receiver, DeliveryKind::Retry, key);
            }
        }
        let mut departures = Vec::new();
        while let Some((key, receiver, kind)) = state.queues.next() {
            let order = state.entry(&key).filter(|order| matches!(order.stage, DeliveryStage::Ready));
            if let Some(order) = order {
                if order.pending_changes == 0 {
                    let (stop, over) = (CancellationToken::new(), CancellationToken::new());
                    order.stage = DeliveryStage::InFlight { again: false, kind, receiver, stop: stop.clone(), over };
                    departures.push(DueDelivery { key, stop });
                    continue;
                }
                order.stage = DeliveryStage::Idle;
            }
            state.queues.finish(receiver, kind);
        }
        (departures, state.timers.first().map(|(due, _)| *due))
    }

    /// Ends an in-flight delivery.
    pub(super) fn finish(&self, key: &PushKey, came: DeliveryOutcome) {
        let mut state = self.state.lock();
        let Some(order) = state.entry(key) else { return };
        let DeliveryStage::InFlight { again, kind, receiver, over, .. } = std::mem::take(&mut order.stage) else {
            return;
        };
        let set_aside = order.pending_changes > 0;
        over.cancel();
        state.queues.finish(receiver, kind);
        match came {
            _ if set_aside => {}
            DeliveryOutcome::RetryAt(due) => {
                if let Some(order) = state.entry(key) {
                    order.stage = DeliveryStage::RetryAt(due);
                }
                state.timers.insert((due, key.clone()));
            }
            DeliveryOutcome::Stopped => state.wake(key, Wake::Now),
            _ if again => state.wake(key, Wake::Now),
            DeliveryOutcome::CaughtUp => {}
            DeliveryOutcome::Closed => state.forget(key),
        }
        self.open.store(state.open, Ordering::Release);
        drop(state);
        self.wakeup.notify_one();
    }

    fn wake_task(&self, task: &TaskId) {
        let mut state = self.state.lock();
        let Some(orders) = state.tasks.get(task) else { return };
        let keys: Vec<PushKey> =
            orders.keys().map(|config| PushKey { task: task.clone(), config: config.clone() }).collect();
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
        let order = self.open_entry(key);
        let before = std::mem::replace(&mut order.receiver, receiver);
        if before == receiver {
            return;
        }
        if matches!(order.stage, DeliveryStage::Ready) {
            // Callers wake the entry afterwards.
            order.stage = DeliveryStage::Idle;
            self.queues.remove(before, key);
        }
        self.queues.close(before);
        self.queues.open(receiver);
    }

    fn wake(&mut self, key: &PushKey, wake: Wake) {
        let Some(order) = self.entry(key).filter(|order| order.pending_changes == 0) else { return };
        match &mut order.stage {
            DeliveryStage::Ready => {}
            DeliveryStage::InFlight { again, .. } => *again = true,
            DeliveryStage::RetryAt(_) if wake == Wake::WhenDue => {}
            DeliveryStage::Idle => {
                order.stage = DeliveryStage::Ready;
                let receiver = order.receiver;
                self.queues.queue(receiver, DeliveryKind::Fresh, key.clone());
            }
            DeliveryStage::RetryAt(due) => {
                let timer = (*due, key.clone());
                order.stage = DeliveryStage::Ready;
                let receiver = order.receiver;
                self.timers.remove(&timer);
                self.queues.queue(receiver, DeliveryKind::Fresh, timer.1);
            }
        }
    }

    fn forget(&mut self, key: &PushKey) {
        let Some(orders) = self.tasks.get_mut(&key.task) else { return };
        let forgotten = orders.remove(&key.config);
        if orders.is_empty() {
            self.tasks.remove(&key.task);
        }
        if let Some(order) = forgotten {
            self.open -= 1;
            self.queues.close(order.receiver);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn leaving(orders: &DeliveryQueue, now: i64) -> usize {
        orders.take_due(at(now)).0.len()
    }

    #[test]
    fn nothing_that_happens_while_an_order_is_under_way_is_missed() {
        let orders = DeliveryQueue::default();
        let key = PushKey { task: "t".into(), config: "c".into() };
        orders.begin_change(&key, None).unwrap();
        orders.wake_task(&key.task);
        assert_eq!(leaving(&orders, 0), 0, "it is being placed");
        orders.end_change(&key);
        assert_eq!((leaving(&orders, 0), leaving(&orders, 0)), (1, 0), "one at a time");
        orders.wake_task(&key.task);
        orders.finish(&key, DeliveryOutcome::CaughtUp);
        assert_eq!(leaving(&orders, 0), 1, "something happened meanwhile");

        orders.finish(&key, DeliveryOutcome::RetryAt(at(10)));
        orders.wake_task(&key.task);
        assert_eq!((leaving(&orders, 9), leaving(&orders, 10)), (0, 1), "the pause is kept");
        orders.finish(&key, DeliveryOutcome::RetryAt(at(9_000_000)));
        assert_eq!(leaving(&orders, 10), 1, "the clock was set back");
        let over = orders.begin_change(&key, None).unwrap().unwrap();
        assert!(!over.is_cancelled());
        orders.finish(&key, DeliveryOutcome::Closed);
        assert!(over.is_cancelled());
        orders.end_change(&key);
        assert_eq!(leaving(&orders, 10), 1, "whoever changed it may have opened it again");
        orders.finish(&key, DeliveryOutcome::Closed);
        orders.wake_task(&key.task);
        assert_eq!((leaving(&orders, 99), orders.open.load(Ordering::Relaxed)), (0, 0), "it is forgotten");
        assert!(orders.state.lock().tasks.is_empty());
    }
}
