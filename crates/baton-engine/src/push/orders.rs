//! In-memory queue of the push dispatcher: open outbox entries and their stages.
//!
//! Delivery progress is stored in the journal only. The commit observer, the commands and the dispatcher change the
//! stages, under one lock that is never held across an await.

use super::lanes::{Kind, Lanes, Receiver};
use crate::EngineError;
use baton_ports::{CommitObserver, JournalError, OutboxEntry, OutboxProgress, StoredEvent};
use baton_types::{Fact, PushConfig, PushConfigId, StreamId, TaskId, Timestamp};
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
const LONGEST_WAIT: Duration = Duration::from_secs(40);

/// Whether `due` has been reached.
pub(super) fn is_due(due: Timestamp, now: Timestamp) -> bool {
    due <= now || due > now.after(LONGEST_WAIT)
}

/// Key of a push configuration: the task and the configuration id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) task: TaskId,
    pub(crate) config: PushConfigId,
}

impl Key {
    /// Outbox entry id; a task id contains no slash.
    pub(crate) fn entry_id(&self) -> String {
        format!("{}/{}", self.task, self.config)
    }

    pub(crate) fn of(entry: &OutboxEntry) -> Option<Self> {
        let (task, config) = entry.id.split_once('/')?;
        Some(Self { task: task.into(), config: config.into() })
    }
}

/// Open outbox entries.
#[derive(Default)]
pub(crate) struct Orders {
    state: Mutex<State>,
    /// Copy of `state.open`, readable without the lock.
    open: AtomicUsize,
    /// Wakes the dispatcher.
    pub(super) bell: Notify,
}

#[derive(Default)]
struct State {
    tasks: HashMap<TaskId, HashMap<PushConfigId, Order>>,
    open: usize,
    lanes: Lanes,
    timers: BTreeSet<(Timestamp, Key)>,
}

#[derive(Default)]
struct Order {
    stage: Stage,
    receiver: Receiver,
    /// Number of commands that are changing the entry; it is not delivered meanwhile.
    set_aside: u32,
}

#[derive(Default)]
enum Stage {
    /// All events are delivered.
    #[default]
    Resting,
    /// Queued for its host.
    Ready,
    /// A delivery is in flight.
    UnderWay {
        /// Whether new events arrived since the delivery started.
        again: bool,
        /// Kind of the delivery when it was queued.
        kind: Kind,
        receiver: Receiver,
        stop: CancellationToken,
        over: CancellationToken,
    },
    /// Time of the next retry.
    Due(Timestamp),
}

/// A delivery to start now.
pub(super) struct Departure {
    pub(super) key: Key,
    /// Cancels the delivery.
    pub(super) stop: CancellationToken,
}

/// Result of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Return {
    /// All events so far are delivered.
    CaughtUp,
    /// Retry at this time.
    Later(Timestamp),
    /// The entry is closed.
    Over,
    /// The delivery was canceled.
    Stopped,
}

impl Orders {
    /// Begins a change of an entry: create, replace, or remove when `config` is `None`. If a delivery is in flight,
    /// cancels it and returns a token that is canceled when it has ended.
    pub(super) fn expect(
        &self,
        key: &Key,
        config: Option<&PushConfig>,
    ) -> Result<Option<CancellationToken>, EngineError> {
        let mut state = self.state.lock();
        if config.is_some() && state.order(key).is_none() && state.open >= MAX_OPEN {
            return Err(EngineError::Journal(JournalError::Busy));
        }
        if let Some(config) = config {
            state.direct(key, Receiver::of(&config.url));
        }
        let order = state.open_order(key);
        order.set_aside += 1;
        let under_way = match &order.stage {
            Stage::UnderWay { stop, over, .. } => {
                stop.cancel();
                Some(over.clone())
            }
            _ => None,
        };
        self.open.store(state.open, Ordering::Release);
        Ok(under_way)
    }

    /// Ends a change, whether or not it was committed.
    pub(super) fn look_again(&self, key: &Key) {
        let mut state = self.state.lock();
        let order = state.open_order(key);
        order.set_aside = order.set_aside.saturating_sub(1);
        state.wake(key, Wake::Now);
        self.open.store(state.open, Ordering::Release);
        drop(state);
        self.bell.notify_one();
    }

    /// Restores an open entry of an earlier process.
    pub(super) fn known(&self, key: &Key, receiver: Receiver, progress: &OutboxProgress) {
        let mut state = self.state.lock();
        if state.order(key).is_none() {
            state.direct(key, receiver);
            if progress.attempts == 0 {
                state.wake(key, Wake::Now);
            } else {
                state.open_order(key).stage = Stage::Due(progress.due_at);
                state.timers.insert((progress.due_at, key.clone()));
            }
            self.open.store(state.open, Ordering::Release);
            drop(state);
            self.bell.notify_one();
        }
    }

    /// Records whether the receiver of an in-flight delivery accepted a notification.
    pub(super) fn answered(&self, key: &Key, took: bool) {
        let mut state = self.state.lock();
        let Some(Order { stage: Stage::UnderWay { receiver, .. }, .. }) = state.order(key) else { return };
        let receiver = *receiver;
        if state.lanes.answered(receiver, took) {
            drop(state);
            self.bell.notify_one();
        }
    }

    /// Takes the deliveries to start now and the time of the next retry.
    pub(super) fn departures(&self, now: Timestamp) -> (Vec<Departure>, Option<Timestamp>) {
        let mut state = self.state.lock();
        while let Some(key) = state.next_due(now) {
            if let Some(order) = state.order(&key) {
                order.stage = Stage::Ready;
                let receiver = order.receiver;
                state.lanes.queue(receiver, Kind::Retry, key);
            }
        }
        let mut departures = Vec::new();
        while let Some((key, receiver, kind)) = state.lanes.next() {
            let order = state.order(&key).filter(|order| matches!(order.stage, Stage::Ready));
            if let Some(order) = order {
                if order.set_aside == 0 {
                    let (stop, over) = (CancellationToken::new(), CancellationToken::new());
                    order.stage = Stage::UnderWay { again: false, kind, receiver, stop: stop.clone(), over };
                    departures.push(Departure { key, stop });
                    continue;
                }
                order.stage = Stage::Resting;
            }
            state.lanes.back(receiver, kind);
        }
        (departures, state.timers.first().map(|(due, _)| *due))
    }

    /// Ends an in-flight delivery.
    pub(super) fn back(&self, key: &Key, came: Return) {
        let mut state = self.state.lock();
        let Some(order) = state.order(key) else { return };
        let Stage::UnderWay { again, kind, receiver, over, .. } = std::mem::take(&mut order.stage) else { return };
        let set_aside = order.set_aside > 0;
        over.cancel();
        state.lanes.back(receiver, kind);
        match came {
            _ if set_aside => {}
            Return::Later(due) => {
                if let Some(order) = state.order(key) {
                    order.stage = Stage::Due(due);
                }
                state.timers.insert((due, key.clone()));
            }
            Return::Stopped => state.wake(key, Wake::Now),
            _ if again => state.wake(key, Wake::Now),
            Return::CaughtUp => {}
            Return::Over => state.forget(key),
        }
        self.open.store(state.open, Ordering::Release);
        drop(state);
        self.bell.notify_one();
    }

    fn happened(&self, task: &TaskId) {
        let mut state = self.state.lock();
        let Some(orders) = state.tasks.get(task) else { return };
        let keys: Vec<Key> = orders.keys().map(|config| Key { task: task.clone(), config: config.clone() }).collect();
        for key in &keys {
            state.wake(key, Wake::WhenDue);
        }
        drop(state);
        self.bell.notify_one();
    }
}

impl CommitObserver for Orders {
    fn committed(&self, events: &[Arc<StoredEvent>]) {
        if self.open.load(Ordering::Acquire) == 0 {
            return;
        }
        for stream in events.chunk_by(|left, right| left.stream == right.stream) {
            let shown = stream.iter().any(|event| matches!(&event.fact, Fact::Task(fact) if fact.is_shown()));
            if let Some(StreamId::Task(task)) = stream.first().map(|event| &event.stream)
                && shown
            {
                self.happened(task);
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

impl State {
    fn order(&mut self, key: &Key) -> Option<&mut Order> {
        self.tasks.get_mut(&key.task)?.get_mut(&key.config)
    }

    /// Takes the next due entry off the timers.
    fn next_due(&mut self, now: Timestamp) -> Option<Key> {
        if self.timers.first().is_some_and(|(due, _)| is_due(*due, now)) {
            return self.timers.pop_first().map(|(_, key)| key);
        }
        // An entry timed before the clock was set back may sort after later ones.
        let last = self.timers.last().is_some_and(|(due, _)| is_due(*due, now));
        last.then(|| self.timers.pop_last()).flatten().map(|(_, key)| key)
    }

    fn open_order(&mut self, key: &Key) -> &mut Order {
        if self.order(key).is_none() {
            self.open += 1;
            self.lanes.open(Receiver::default());
        }
        self.tasks.entry(key.task.clone()).or_default().entry(key.config.clone()).or_default()
    }

    /// Opens an entry or moves it to another receiver.
    fn direct(&mut self, key: &Key, receiver: Receiver) {
        let order = self.open_order(key);
        let before = std::mem::replace(&mut order.receiver, receiver);
        if before == receiver {
            return;
        }
        if matches!(order.stage, Stage::Ready) {
            // Callers wake the entry afterwards.
            order.stage = Stage::Resting;
            self.lanes.leave(before, key);
        }
        self.lanes.close(before);
        self.lanes.open(receiver);
    }

    fn wake(&mut self, key: &Key, wake: Wake) {
        let Some(order) = self.order(key).filter(|order| order.set_aside == 0) else { return };
        match &mut order.stage {
            Stage::Ready => {}
            Stage::UnderWay { again, .. } => *again = true,
            Stage::Due(_) if wake == Wake::WhenDue => {}
            Stage::Resting => {
                order.stage = Stage::Ready;
                let receiver = order.receiver;
                self.lanes.queue(receiver, Kind::Fresh, key.clone());
            }
            Stage::Due(due) => {
                let timer = (*due, key.clone());
                order.stage = Stage::Ready;
                let receiver = order.receiver;
                self.timers.remove(&timer);
                self.lanes.queue(receiver, Kind::Fresh, timer.1);
            }
        }
    }

    fn forget(&mut self, key: &Key) {
        let Some(orders) = self.tasks.get_mut(&key.task) else { return };
        let forgotten = orders.remove(&key.config);
        if orders.is_empty() {
            self.tasks.remove(&key.task);
        }
        if let Some(order) = forgotten {
            self.open -= 1;
            self.lanes.close(order.receiver);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn leaving(orders: &Orders, now: i64) -> usize {
        orders.departures(at(now)).0.len()
    }

    #[test]
    fn nothing_that_happens_while_an_order_is_under_way_is_missed() {
        let orders = Orders::default();
        let key = Key { task: "t".into(), config: "c".into() };
        orders.expect(&key, None).unwrap();
        orders.happened(&key.task);
        assert_eq!(leaving(&orders, 0), 0, "it is being placed");
        orders.look_again(&key);
        assert_eq!((leaving(&orders, 0), leaving(&orders, 0)), (1, 0), "one at a time");
        orders.happened(&key.task);
        orders.back(&key, Return::CaughtUp);
        assert_eq!(leaving(&orders, 0), 1, "something happened meanwhile");

        orders.back(&key, Return::Later(at(10)));
        orders.happened(&key.task);
        assert_eq!((leaving(&orders, 9), leaving(&orders, 10)), (0, 1), "the pause is kept");
        orders.back(&key, Return::Later(at(9_000_000)));
        assert_eq!(leaving(&orders, 10), 1, "the clock was set back");
        let over = orders.expect(&key, None).unwrap().unwrap();
        assert!(!over.is_cancelled());
        orders.back(&key, Return::Over);
        assert!(over.is_cancelled());
        orders.look_again(&key);
        assert_eq!(leaving(&orders, 10), 1, "whoever changed it may have opened it again");
        orders.back(&key, Return::Over);
        orders.happened(&key.task);
        assert_eq!((leaving(&orders, 99), orders.open.load(Ordering::Relaxed)), (0, 0), "it is forgotten");
        assert!(orders.state.lock().tasks.is_empty());
    }
}
