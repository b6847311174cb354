//! Fair scheduling of deliveries: one queue per receiver host.
//!
//! Hosts are served round-robin, and a failing host gets few concurrent deliveries, so that it cannot delay others. A
//! queue exists as long as its host has open entries.

use super::orders::Key;
use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};

/// Maximum concurrent deliveries.
const AT_ONCE: usize = 64;

/// Maximum concurrent retries among them.
const RETRIES_AT_ONCE: usize = 32;

/// Maximum concurrent deliveries per host.
const OF_ONE_RECEIVER: usize = 16;

/// Maximum concurrent deliveries to a host whose last delivery failed: enough to detect recovery.
const OF_ONE_FAILING: usize = 4;

/// Hash of the scheme, host and port of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Receiver(u64);

impl Receiver {
    pub(super) fn of(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        Self(digest(&(scheme.to_ascii_lowercase(), authority.to_ascii_lowercase())))
    }
}

/// Reason of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A new event.
    Fresh,
    /// Retry after a failure.
    Retry,
}

#[derive(Default)]
pub(super) struct Lanes {
    lanes: HashMap<Receiver, Lane>,
    /// Hosts with queued deliveries, by kind.
    turns: [VecDeque<Receiver>; 2],
    under_way: usize,
    retries_under_way: usize,
}

#[derive(Default)]
struct Lane {
    /// Open entries in any stage.
    open: usize,
    waiting: [VecDeque<Key>; 2],
    in_turn: [bool; 2],
    under_way: [usize; 2],
    failing: bool,
}

impl Lane {
    /// Retries use at most half of the limit: one host may serve several receivers.
    fn is_full(&self, kind: Kind) -> bool {
        let most = if self.failing { OF_ONE_FAILING } else { OF_ONE_RECEIVER };
        let all = self.under_way.iter().sum::<usize>() >= most;
        all || (kind == Kind::Retry && self.under_way[Kind::Retry as usize] >= most / 2)
    }
}

impl Lanes {
    /// Registers one more entry for the host.
    pub(super) fn open(&mut self, receiver: Receiver) {
        self.lanes.entry(receiver).or_default().open += 1;
    }

    /// Removes an entry that is not queued.
    pub(super) fn close(&mut self, receiver: Receiver) {
        self.with(receiver, |lane| lane.open -= 1);
    }

    pub(super) fn queue(&mut self, receiver: Receiver, kind: Kind, key: Key) {
        self.with(receiver, |lane| lane.waiting[kind as usize].push_back(key));
    }

    /// Removes a queued entry.
    pub(super) fn leave(&mut self, receiver: Receiver, key: &Key) {
        self.with(receiver, |lane| lane.waiting.iter_mut().for_each(|waiting| waiting.retain(|waits| waits != key)));
    }

    /// Takes the next delivery, which is now in flight.
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

    /// Ends an in-flight delivery returned by [`HostQueues::next`].
    pub(super) fn back(&mut self, receiver: Receiver, kind: Kind) {
        self.under_way -= 1;
        self.retries_under_way -= usize::from(kind == Kind::Retry);
        self.with(receiver, |lane| lane.under_way[kind as usize] -= 1);
    }

    /// Records whether the host accepted a delivery. Returns true when its limit has risen.
    pub(super) fn answered(&mut self, receiver: Receiver, took: bool) -> bool {
        let mut failed = false;
        self.with(receiver, |lane| failed = std::mem::replace(&mut lane.failing, !took));
        failed && took
    }

    /// Updates a queue and schedules its host if it has deliveries to start.
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

/// Hash of a value, stable across processes.
pub(super) fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
