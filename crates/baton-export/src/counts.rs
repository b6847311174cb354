//! Counters and states of exports.

use crate::Signal;
use baton_ports::{BoxFuture, ExportMonitor, ExportReport, ExportState};
use baton_telemetry::{MeterLevels, MeterSource, instruments};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// Counters of one signal of one target.
#[derive(Debug)]
pub(crate) struct Count {
    target: String,
    signal: Signal,
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    waiting: AtomicU64,
    standing: Mutex<Standing>,
}

/// State and endpoint of a target.
#[derive(Clone, Debug, Default)]
struct Standing {
    place: String,
    assumed: bool,
    state: ExportState,
}

impl Count {
    pub(crate) fn new(target: &str, signal: Signal) -> Arc<Self> {
        let [sent, failed, dropped, waiting] = [0; 4].map(AtomicU64::new);
        Arc::new(Self { target: target.to_owned(), signal, sent, failed, dropped, waiting, standing: Mutex::default() })
    }

    /// Sets the endpoint and whether it is the default target.
    pub(crate) fn describe(&self, place: &str, assumed: bool) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        (standing.place, standing.assumed) = (place.to_owned(), assumed);
    }

    /// Sets the state of the target.
    pub(crate) fn set_state(&self, state: ExportState) {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).state = state;
    }

    fn standing(&self) -> Standing {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts accepted items.
    pub(crate) fn sent(&self, count: usize) {
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Counts permanently rejected items.
    pub(crate) fn failed(&self, count: usize) {
        self.failed.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Sets the number of items dropped because the queue was full.
    pub(crate) fn set_dropped(&self, count: u64) {
        self.dropped.store(count, Ordering::Relaxed);
    }

    /// Sets the number of queued bytes.
    pub(crate) fn set_waiting(&self, bytes: u64) {
        self.waiting.store(bytes, Ordering::Relaxed);
    }
}

/// Export counters by target and signal; clones share them.
#[derive(Clone, Debug, Default)]
pub struct ExportCounts(Vec<Arc<Count>>);

impl ExportCounts {
    pub(crate) fn of(counts: Vec<Arc<Count>>) -> Self {
        Self(counts)
    }

    pub(crate) fn add(&mut self, count: Arc<Count>) {
        self.0.push(count);
    }

    fn sum(&self, target: &str, signal: Signal, figure: impl Fn(&Count) -> &AtomicU64) -> u64 {
        let own = self.0.iter().filter(|count| count.target == target && count.signal == signal);
        own.map(|count| figure(count).load(Ordering::Relaxed)).sum()
    }

    /// Number of items accepted by a target.
    pub fn sent(&self, target: &str, signal: Signal) -> u64 {
        self.sum(target, signal, |count| &count.sent)
    }

    /// Number of items permanently rejected by a target.
    pub fn failed(&self, target: &str, signal: Signal) -> u64 {
        self.sum(target, signal, |count| &count.failed)
    }

    /// Number of items dropped because the queue was full.
    pub fn dropped(&self, target: &str, signal: Signal) -> u64 {
        self.sum(target, signal, |count| &count.dropped)
    }
}

impl ExportMonitor for ExportCounts {
    fn reports(&self) -> Vec<ExportReport> {
        let report = |count: &Arc<Count>| {
            let Standing { place, assumed, state } = count.standing();
            ExportReport {
                target: count.target.clone(),
                endpoint: place,
                signal: count.signal.as_str(),
                is_default: assumed,
                state,
                sent: count.sent.load(Ordering::Relaxed),
                failed: count.failed.load(Ordering::Relaxed),
                dropped: count.dropped.load(Ordering::Relaxed),
                queued_bytes: count.waiting.load(Ordering::Relaxed),
            }
        };
        self.0.iter().map(report).collect()
    }
}

impl MeterSource for ExportCounts {
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> BoxFuture<'a, ()> {
        for count in &self.0 {
            let labels = [count.target.as_str(), count.signal.as_str()];
            for (instrument, figure) in [
                (&instruments::EXPORT_SENT, &count.sent),
                (&instruments::EXPORT_FAILED, &count.failed),
                (&instruments::EXPORT_DROPPED, &count.dropped),
                (&instruments::EXPORT_WAITING, &count.waiting),
            ] {
                levels.add(instrument, &labels, figure.load(Ordering::Relaxed));
            }
            let blocked = matches!(count.standing().state, ExportState::Blocked { .. });
            levels.add(&instruments::EXPORT_BLOCKED, &labels, u64::from(blocked));
        }
        Box::pin(std::future::ready(()))
    }
}
