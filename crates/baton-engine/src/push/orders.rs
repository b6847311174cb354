//! Which standing orders are open and what is to be done about them now: all that the courier remembers.
//!
//! How far an order was carried out is in the journal only. Here is one small stage per open order; the commit
//! observer, the commands and the courier move it, each under one lock that nobody holds while waiting.

use crate::EngineError;
use baton_ports::{CommitObserver, JournalError, OutboxEntry, StoredEvent};
use baton_types::{Fact, PushConfigId, StreamId, TaskId, Timestamp};
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Open orders; more are refused as busy.
const MAX_OPEN: usize = 262_144;

/// Orders carried out at the same time.
const AT_ONCE: usize = 64;

/// Of these, orders whose last try failed: receivers that hang must not keep others from being told.
const RETRIES_AT_ONCE: usize = 32;

/// One receiver of one task.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) task: TaskId,
    pub(crate) config: PushConfigId,
}

impl Key {
    /// The order's id in the journal; a task's id has no slash.
    pub(crate) fn entry_id(&self) -> String {
        format!("{}/{}", self.task, self.config)
    }

    pub(crate) fn of(entry: &OutboxEntry) -> Option<Self> {
        let (task, config) = entry.id.split_once('/')?;
        Some(Self { task: task.into(), config: config.into() })
    }
}

/// The open orders.
#[derive(Default)]
pub(crate) struct Orders {
    state: Mutex<State>,
    /// As many as the state has, to be read without its lock.
    open: AtomicUsize,
    /// Rings when the courier has something to look at.
    pub(super) bell: Notify,
}

#[derive(Default)]
struct State {
    tasks: HashMap<TaskId, HashMap<PushConfigId, Order>>,
    open: usize,
    ready: VecDeque<Key>,
    /// Ready as well, but tried before.
    retries: VecDeque<Key>,
    timers: BTreeSet<(Timestamp, Key)>,
    under_way: usize,
    retries_under_way: usize,
}

#[derive(Default)]
struct Order {
    stage: Stage,
    /// How many commands are changing it; meanwhile it stays where it is.
    set_aside: u32,
}

#[derive(Default)]
enum Stage {
    /// Everything was told.
    #[default]
    Resting,
    /// In the queue.
    Ready,
    /// Being carried out.
    UnderWay {
        /// Something happened since it began.
        again: bool,
        retry: bool,
        stop: CancellationToken,
        over: CancellationToken,
    },
    /// Tried again at that moment.
    Due(Timestamp),
}

/// An order to carry out now.
pub(super) struct Departure {
    pub(super) key: Key,
    /// Breaks it off.
    pub(super) stop: CancellationToken,
}

/// What became of carrying out an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Return {
    /// Everything was told so far.
    CaughtUp,
    /// Try again then.
    Later(Timestamp),
    /// There is nothing more to carry out.
    Over,
    /// It was broken off.
    Stopped,
}

impl Orders {
    /// Announces that an order is about to change. While it is under way, gives what is canceled when it no longer is.
    pub(super) fn expect(&self, key: &Key) -> Result<Option<CancellationToken>, EngineError> {
        let mut state = self.state.lock();
        if state.order(key).is_none() && state.open >= MAX_OPEN {
            return Err(EngineError::Journal(JournalError::Busy));
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

    /// The change is over, whatever became of it.
    pub(super) fn look_again(&self, key: &Key) {
        let mut state = self.state.lock();
        let order = state.open_order(key);
        order.set_aside = order.set_aside.saturating_sub(1);
        state.wake(key, Wake::Now);
        self.open.store(state.open, Ordering::Release);
        drop(state);
        self.bell.notify_one();
    }

    /// An open order that the journal has from an earlier life.
    pub(super) fn known(&self, key: &Key, due: Timestamp) {
        let mut state = self.state.lock();
        if state.order(key).is_none() {
            state.open_order(key).stage = Stage::Due(due);
            state.timers.insert((due, key.clone()));
            self.open.store(state.open, Ordering::Release);
            drop(state);
            self.bell.notify_one();
        }
    }

    /// What to carry out now, and when to look again if nothing rings before.
    pub(super) fn departures(&self, now: Timestamp) -> (Vec<Departure>, Option<Timestamp>) {
        let mut state = self.state.lock();
        while let Some((due, _)) = state.timers.first()
            && *due <= now
        {
            let Some((_, key)) = state.timers.pop_first() else { break };
            if let Some(order) = state.order(&key) {
                order.stage = Stage::Ready;
                state.retries.push_back(key);
            }
        }
        let mut departures = Vec::new();
        while state.under_way < AT_ONCE
            && let Some((key, retry)) = state.next_ready()
        {
            let Some(order) = state.order(&key).filter(|order| matches!(order.stage, Stage::Ready)) else { continue };
            if order.set_aside > 0 {
                order.stage = Stage::Resting;
                continue;
            }
            let stop = CancellationToken::new();
            order.stage = Stage::UnderWay { again: false, retry, stop: stop.clone(), over: CancellationToken::new() };
            state.under_way += 1;
            state.retries_under_way += usize::from(retry);
            departures.push(Departure { key, stop });
        }
        (departures, state.timers.first().map(|(due, _)| *due))
    }

    /// An order is no longer under way.
    pub(super) fn back(&self, key: &Key, came: Return) {
        let mut state = self.state.lock();
        let Some(order) = state.order(key) else { return };
        let Stage::UnderWay { again, retry, over, .. } = std::mem::take(&mut order.stage) else { return };
        let set_aside = order.set_aside > 0;
        over.cancel();
        state.under_way -= 1;
        state.retries_under_way -= usize::from(retry);
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

/// How urgent a reason to look at an order is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wake {
    Now,
    /// The pause after a failure is kept.
    WhenDue,
}

impl State {
    fn order(&mut self, key: &Key) -> Option<&mut Order> {
        self.tasks.get_mut(&key.task)?.get_mut(&key.config)
    }

    /// The next order, and whether it was tried before.
    fn next_ready(&mut self) -> Option<(Key, bool)> {
        if self.retries_under_way < RETRIES_AT_ONCE
            && let Some(key) = self.retries.pop_front()
        {
            return Some((key, true));
        }
        self.ready.pop_front().map(|key| (key, false))
    }

    fn open_order(&mut self, key: &Key) -> &mut Order {
        if self.order(key).is_none() {
            self.open += 1;
        }
        self.tasks.entry(key.task.clone()).or_default().entry(key.config.clone()).or_default()
    }

    fn wake(&mut self, key: &Key, wake: Wake) {
        let Some(order) = self.order(key).filter(|order| order.set_aside == 0) else { return };
        match &mut order.stage {
            Stage::Ready => {}
            Stage::UnderWay { again, .. } => *again = true,
            Stage::Due(_) if wake == Wake::WhenDue => {}
            Stage::Resting => {
                order.stage = Stage::Ready;
                self.ready.push_back(key.clone());
            }
            Stage::Due(due) => {
                let timer = (*due, key.clone());
                order.stage = Stage::Ready;
                self.timers.remove(&timer);
                self.ready.push_back(timer.1);
            }
        }
    }

    fn forget(&mut self, key: &Key) {
        let Some(orders) = self.tasks.get_mut(&key.task) else { return };
        if orders.remove(&key.config).is_some() {
            self.open -= 1;
        }
        if orders.is_empty() {
            self.tasks.remove(&key.task);
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
        orders.expect(&key).unwrap();
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
        let over = orders.expect(&key).unwrap().unwrap();
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
