//! Usage totals of sessions and agents with budgets, ahead of the journal, plus reservations of in-flight calls.

use baton_types::BudgetUsage;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// Maximum cached totals; the cache is cleared when full.
const MAX_CACHED_TOTALS: usize = 4096;

/// Totals by key. Exact, because only one process writes the journal.
#[derive(Default)]
pub(crate) struct UsageTotals {
    totals: Mutex<HashMap<String, BudgetUsage>>,
    /// Reservations of in-flight calls; bounded by the number of running tasks.
    reserved: Mutex<HashMap<String, BudgetUsage>>,
}

impl UsageTotals {
    pub(crate) fn get(&self, key: &str) -> Option<BudgetUsage> {
        self.totals.lock().get(key).copied()
    }

    /// Caches a total read from the journal, unless there is one.
    pub(crate) fn put(&self, key: String, read: BudgetUsage) -> BudgetUsage {
        let mut totals = self.totals.lock();
        if totals.len() >= MAX_CACHED_TOTALS {
            totals.clear();
        }
        *totals.entry(key).or_insert(read)
    }

    /// Adds usage to a cached total; other totals are read when needed.
    pub(crate) fn add(&self, key: &str, usage: BudgetUsage) {
        if let Some(total) = self.totals.lock().get_mut(key) {
            *total = total.plus(usage);
        }
    }

    /// Evicts a total whose usage was not committed.
    pub(crate) fn forget(&self, key: &str) {
        self.totals.lock().remove(key);
    }

    /// Reserves the expected usage of a call, if `check` allows it given all other reservations. Concurrent calls
    /// together cannot exceed a budget.
    pub(crate) fn reserve<E>(
        self: &Arc<Self>,
        keys: Vec<String>,
        next: BudgetUsage,
        check: impl FnOnce(&dyn Fn(&str) -> BudgetUsage) -> Result<(), E>,
    ) -> Result<UsageReservation, E> {
        let mut reserved = self.reserved.lock();
        check(&|key| reserved.get(key).copied().unwrap_or_default())?;
        for key in &keys {
            let reservation = reserved.entry(key.clone()).or_default();
            *reservation = reservation.plus(next);
        }
        Ok(UsageReservation { tallies: Arc::clone(self), keys, next })
    }
}

/// Reserved usage of an in-flight call; released on drop.
pub(crate) struct UsageReservation {
    tallies: Arc<UsageTotals>,
    keys: Vec<String>,
    next: BudgetUsage,
}

impl Drop for UsageReservation {
    fn drop(&mut self) {
        let mut reserved = self.tallies.reserved.lock();
        for key in &self.keys {
            let Some(reservation) = reserved.get_mut(key) else { continue };
            reservation.tokens = reservation.tokens.saturating_sub(self.next.tokens);
            reservation.micro_dollars = reservation.micro_dollars.saturating_sub(self.next.micro_dollars);
            reservation.tool_calls = reservation.tool_calls.saturating_sub(self.next.tool_calls);
            if *reservation == BudgetUsage::default() {
                reserved.remove(key);
            }
        }
    }
}
