//! Whose turn it is: orders that can be carried out now, one lane for each receiver.
//!
//! Receivers take turns, and one that does not answer gets few at once, so that nobody waits for a stranger's
//! receiver. A lane exists as long as there are open orders for its receiver.

use super::orders::Key;
use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};

/// Orders carried out at the same time.
const AT_ONCE: usize = 64;

/// Of these, orders whose last try failed.
const RETRIES_AT_ONCE: usize = 32;

/// Of these, orders of one receiver.
const OF_ONE_RECEIVER: usize = 16;

/// Of one receiver that did not take what it was told last: enough to notice when it is back.
const OF_ONE_FAILING: usize = 4;

/// A receiver by its scheme, host and port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Receiver(u64);

impl Receiver {
    pub(super) fn of(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        Self(digest(&(scheme.to_ascii_lowercase(), authority.to_ascii_lowercase())))
    }
}

/// Why an order is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something happened.
    Fresh,
    /// The last try failed.
    Retry,
}

#[derive(Default)]
pub(super) struct Lanes {
    lanes: HashMap<Receiver, Lane>,
    /// The lanes that may have something to carry out, by kind.
    turns: [VecDeque<Receiver>; 2],
    under_way: usize,
    retries_under_way: usize,
}

#[derive(Default)]
struct Lane {
    /// Open orders, whatever their stage.
    open: usize,
    waiting: [VecDeque<Key>; 2],
    in_turn: [bool; 2],
    under_way: [usize; 2],
    failing: bool,
}

impl Lane {
    /// Tries that failed leave half of the room to others: one host may speak for several receivers.
    fn is_full(&self, kind: Kind) -> bool {
        let most = if self.failing { OF_ONE_FAILING } else { OF_ONE_RECEIVER };
        let all = self.under_way.iter().sum::<usize>() >= most;
        all || (kind == Kind::Retry && self.under_way[Kind::Retry as usize] >= most / 2)
    }
}

impl Lanes {
    /// One more order for the receiver.
    pub(super) fn open(&mut self, receiver: Receiver) {
        self.lanes.entry(receiver).or_default().open += 1;
    }

    /// One order less, which does not wait.
    pub(super) fn close(&mut self, receiver: Receiver) {
        self.with(receiver, |lane| lane.open -= 1);
    }

    pub(super) fn queue(&mut self, receiver: Receiver, kind: Kind, key: Key) {
        self.with(receiver, |lane| lane.waiting[kind as usize].push_back(key));
    }

    /// Takes an order out that waits.
    pub(super) fn leave(&mut self, receiver: Receiver, key: &Key) {
        self.with(receiver, |lane| lane.waiting.iter_mut().for_each(|waiting| waiting.retain(|waits| waits != key)));
    }

    /// The next order, which is under way from now on.
    pub(super) fn next(&mut self) -> Option<(Key, Receiver, Kind)> {
        if self.under_way >= AT_ONCE {
            return None;
        }
        let retry = (self.retries_under_way < RETRIES_AT_ONCE).then_some(Kind::Retry);
        for kind in retry.into_iter().chain([Kind::Fresh]) {
            while let Some(receiver) = self.turns[kind as usize].pop_front() {
                let mut found = None;
                self.with(receiver, |lane| {
                    lane.in_turn[kind as usize] = false;
                    if !lane.is_full(kind) {
                        found = lane.waiting[kind as usize].pop_front();
                        lane.under_way[kind as usize] += usize::from(found.is_some());
                    }
                });
                if let Some(key) = found {
                    self.under_way += 1;
                    self.retries_under_way += usize::from(kind == Kind::Retry);
                    return Some((key, receiver, kind));
                }
            }
        }
        None
    }

    /// What [`Lanes::next`] gave is no longer under way.
    pub(super) fn back(&mut self, receiver: Receiver, kind: Kind) {
        self.under_way -= 1;
        self.retries_under_way -= usize::from(kind == Kind::Retry);
        self.with(receiver, |lane| lane.under_way[kind as usize] -= 1);
    }

    /// Notes whether the receiver took what it was told; true when it may get more at once than before.
    pub(super) fn answered(&mut self, receiver: Receiver, took: bool) -> bool {
        let mut failed = false;
        self.with(receiver, |lane| failed = std::mem::replace(&mut lane.failing, !took));
        failed && took
    }

    /// Changes a lane, and gives it turns if there is something to do in it.
    fn with(&mut self, receiver: Receiver, change: impl FnOnce(&mut Lane)) {
        let Some(lane) = self.lanes.get_mut(&receiver) else { return };
        change(lane);
        for kind in [Kind::Fresh, Kind::Retry] {
            let place = kind as usize;
            if !lane.waiting[place].is_empty() && !lane.in_turn[place] && !lane.is_full(kind) {
                lane.in_turn[place] = true;
                self.turns[place].push_back(receiver);
            }
        }
        if lane.open == 0 && lane.under_way == [0; 2] && lane.in_turn == [false; 2] {
            self.lanes.remove(&receiver);
        }
    }
}

/// Spreads values evenly; the same in every process.
pub(super) fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
