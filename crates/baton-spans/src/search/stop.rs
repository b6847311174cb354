//! Cancellation of queries.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Cancellation flag for the thread that executes a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Whether the query is canceled.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns a guard that cancels the query when dropped.
    pub(crate) fn set_on_drop(&self) -> StopGuard {
        StopGuard(self.clone())
    }
}

/// Cancels the query when dropped.
#[derive(Debug)]
pub(crate) struct StopGuard(StopFlag);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}
