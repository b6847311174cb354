//! Fair scheduling of deliveries: one queue per receiver host.
//!
//! Hosts are served round-robin, and a failing host gets few concurrent deliveries, so that it cannot delay others. A
//! queue exists as long as its host has open entries.

use super::delivery_queue::PushKey;
use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};

/// Maximum concurrent deliveries.
const MAX_CONCURRENT_DELIVERIES: usize = 64;

/// Maximum concurrent retries among them.
const MAX_CONCURRENT_RETRIES: usize = 32;

/// Maximum concurrent deliveries per host.
const MAX_PER_HOST: usize = 16;

/// Maximum concurrent deliveries to a host whose last delivery failed: enough to detect recovery.
const MAX_PER_FAILING_HOST: usize = 4;

/// Hash of the scheme, host and port of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ReceiverHost(u64);

impl ReceiverHost {
    pub(super) fn from_url(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        Self(digest(&(scheme.to_ascii_lowercase(), authority.to_ascii_lowercase())))
    }
}

/// Reason of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryKind {
    /// A new event.
    Fresh,
    /// Retry after a failure.
    Retry,
}

#[derive(Default)]
pub(super) struct HostQueues {
    queues: HashMap<ReceiverHost, HostQueue>,
    /// Hosts with queued deliveries, by kind.
    ready_hosts: [VecDeque<ReceiverHost>; 2],
    in_flight: usize,
    retries_in_flight: usize,
}

#[derive(Default)]
struct HostQueue {
    /// Open entries in any stage.
    open: usize,
    queued: [VecDeque<PushKey>; 2],
    is_scheduled: [bool; 2],
    in_flight: [usize; 2],
    failing: bool,
}

impl HostQueue {
    /// Retries use at most half of the limit: one host may serve several receivers.
    fn is_full(&self, kind: DeliveryKind) -> bool {
        let limit = if self.failing { MAX_PER_FAILING_HOST } else { MAX_PER_HOST };
        let all = self.in_flight.iter().sum::<usize>() >= limit;
        all || (kind == DeliveryKind::Retry && self.in_flight[DeliveryKind::Retry as usize] >= limit / 2)
    }
}

impl HostQueues {
    /// Registers one more entry for the host.
    pub(super) fn open(&mut self, receiver: ReceiverHost) {
        self.queues.entry(receiver).or_default().open += 1;
    }

    /// Removes an entry that is not queued.
    pub(super) fn close(&mut self, receiver: ReceiverHost) {
        self.with(receiver, |queue| queue.open -= 1);
    }

    pub(super) fn queue(&mut self, receiver: ReceiverHost, kind: DeliveryKind, key: PushKey) {
        self.with(receiver, |queue| queue.queued[kind as usize].push_back(key));
    }

    /// Removes a queued entry.
    pub(super) fn remove(&mut self, receiver: ReceiverHost, key: &PushKey) {
        self.with(receiver, |queue| queue.queued.iter_mut().for_each(|keys| keys.retain(|queued| queued != key)));
    }

    /// Takes the next delivery, which is now in flight.
    pub(super) fn next(&mut self) -> Option<(PushKey, ReceiverHost, DeliveryKind)> {
        if self.in_flight >= MAX_CONCURRENT_DELIVERIES {
            return None;
        }
        let retry = (self.retries_in_flight < MAX_CONCURRENT_RETRIES).then_some(DeliveryKind::Retry);
        for kind in retry.into_iter().chain([DeliveryKind::Fresh]) {
            while let Some(receiver) = self.ready_hosts[kind as usize].pop_front() {
                let mut found = None;
                self.with(receiver, |queue| {
                    queue.is_scheduled[kind as usize] = false;
                    if !queue.is_full(kind) {
                        found = queue.queued[kind as usize].pop_front();
                        queue.in_flight[kind as usize] += usize::from(found.is_some());
                    }
                });
                if let Some(key) = found {
                    self.in_flight += 1;
                    self.retries_in_flight += usize::from(kind == DeliveryKind::Retry);
                    return Some((key, receiver, kind));
                }
            }
        }
        None
    }

    /// Ends an in-flight delivery returned by [`HostQueues::next`].
    pub(super) fn finish(&mut self, receiver: ReceiverHost, kind: DeliveryKind) {
        self.in_flight -= 1;
        self.retries_in_flight -= usize::from(kind == DeliveryKind::Retry);
        self.with(receiver, |queue| queue.in_flight[kind as usize] -= 1);
    }

    /// Records whether the host accepted a delivery. Returns true when its limit has risen.
    pub(super) fn record_response(&mut self, receiver: ReceiverHost, accepted: bool) -> bool {
        let mut failed = false;
        self.with(receiver, |queue| failed = std::mem::replace(&mut queue.failing, !accepted));
        failed && accepted
    }

    /// Updates a queue and schedules its host if it has deliveries to start.
    fn with(&mut self, receiver: ReceiverHost, change: impl FnOnce(&mut HostQueue)) {
        let Some(queue) = self.queues.get_mut(&receiver) else { return };
        change(queue);
        for kind in [DeliveryKind::Fresh, DeliveryKind::Retry] {
            let index = kind as usize;
            if !queue.queued[index].is_empty() && !queue.is_scheduled[index] && !queue.is_full(kind) {
                queue.is_scheduled[index] = true;
                self.ready_hosts[index].push_back(receiver);
            }
        }
        if queue.open == 0 && queue.in_flight == [0; 2] && queue.is_scheduled == [false; 2] {
            self.queues.remove(&receiver);
        }
    }
}

/// Hash of a value, stable across processes.
pub(super) fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
