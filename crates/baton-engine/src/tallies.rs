//! What sessions and agents with budgets have used up, ahead of the journal.

use baton_types::Spent;
use parking_lot::Mutex;
use std::collections::HashMap;

/// Totals that are kept; when there are more they are read again.
const KNOWN: usize = 4096;

/// Totals by name; one process owns the journal, so that what is counted here is what there is.
#[derive(Default)]
pub(crate) struct Tallies {
    known: Mutex<HashMap<String, Spent>>,
}

impl Tallies {
    pub(crate) fn get(&self, key: &str) -> Option<Spent> {
        self.known.lock().get(key).copied()
    }

    /// Takes a total that was read, unless somebody was quicker.
    pub(crate) fn put(&self, key: String, read: Spent) -> Spent {
        let mut known = self.known.lock();
        if known.len() >= KNOWN {
            known.clear();
        }
        *known.entry(key).or_insert(read)
    }

    /// Counts more, where a total is known; elsewhere it is read when it is needed.
    pub(crate) fn add(&self, key: &str, more: Spent) {
        if let Some(total) = self.known.lock().get_mut(key) {
            *total = total.plus(more);
        }
    }

    /// Has a total read again, because what was counted did not become true.
    pub(crate) fn forget(&self, key: &str) {
        self.known.lock().remove(key);
    }
}
