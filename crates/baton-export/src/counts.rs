//! Counters and states of exports.

use crate::Signal;
use baton_meters::{MeterLevels, MeterSource, instruments};
use baton_ports::{BoxFuture, ExportMonitor, ExportReport, ExportState};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// Counters of one signal of one target.
#[derive(Debug)]
pub(crate) struct TargetCounters {
    target: String,
    signal: Signal,
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    queued_bytes: AtomicU64,
    status: Mutex<TargetStatus>,
}

/// State and endpoint of a target.
#[derive(Clone, Debug, Default)]
struct TargetStatus {
    endpoint: String,
    is_default: bool,
    state: ExportState,
}

impl TargetCounters {
    pub(crate) fn new(target: &str, signal: Signal) -> Arc<Self> {
        let [sent, failed, dropped, waiting] = [0; 4].map(AtomicU64::new);
        Arc::new(Self {
            target: target.to_owned(),
            signal,
            sent,
            failed,
            dropped,
            queued_bytes: waiting,
            status: Mutex::default(),
        })
    }

    /// Sets the endpoint and whether it is the default target.
    pub(crate) fn set_endpoint(&self, endpoint: &str, assumed: bool) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        (status.endpoint, status.is_default) = (endpoint.to_owned(), assumed);
    }

    /// Sets the state of the target.
    pub(crate) fn set_state(&self, state: ExportState) {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).state = state;
    }

    fn status(&self) -> TargetStatus {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts accepted items.
    pub(crate) fn add_sent(&self, count: usize) {
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Counts permanently rejected items.
    pub(crate) fn add_failed(&self, count: usize) {
        self.failed.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Sets the number of items dropped because the queue was full.
    pub(crate) fn set_dropped(&self, count: u64) {
        self.dropped.store(count, Ordering::Relaxed);
    }

    /// Sets the number of queued bytes.
    pub(crate) fn set_queued_bytes(&self, bytes: u64) {
        self.queued_bytes.store(bytes, Ordering::Relaxed);
    }
}

/// Export counters by target and signal; clones share them.
#[derive(Clone, Debug, Default)]
pub struct ExportCounts(Vec<Arc<TargetCounters>>);

impl ExportCounts {
    pub(crate) fn from_counters(counts: Vec<Arc<TargetCounters>>) -> Self {
        Self(counts)
    }

    pub(crate) fn add(&mut self, count: Arc<TargetCounters>) {
        self.0.push(count);
    }

    fn sum(&self, target: &str, signal: Signal, figure: impl Fn(&TargetCounters) -> &AtomicU64) -> u64 {
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
        let report = |count: &Arc<TargetCounters>| {
            let TargetStatus { endpoint, is_default: assumed, state } = count.status();
            ExportReport {
                target: count.target.clone(),
                endpoint,
                signal: count.signal.as_str(),
                is_default: assumed,
                state,
                sent: count.sent.load(Ordering::Relaxed),
                failed: count.failed.load(Ordering::Relaxed),
                dropped: count.dropped.load(Ordering::Relaxed),
                queued_bytes: count.queued_bytes.load(Ordering::Relaxed),
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
                (&instruments::EXPORT_WAITING, &count.queued_bytes),
            ] {
                levels.add(instrument, &labels, figure.load(Ordering::Relaxed));
            }
            let blocked = matches!(count.status().state, ExportState::Blocked { .. });
            levels.add(&instruments::EXPORT_BLOCKED, &labels, u64::from(blocked));
        }
        Box::pin(std::future::ready(()))
    }
}
