//! Work that ends when nobody waits for it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Tells a thread that works on a query that nobody waits for the answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Whether it was told.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Tells it as soon as the guard is dropped.
    pub(crate) fn set_on_drop(&self) -> StopGuard {
        StopGuard(self.clone())
    }
}

/// Held by whoever waits for an answer.
#[derive(Debug)]
pub(crate) struct StopGuard(StopFlag);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}
