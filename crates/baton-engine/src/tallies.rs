//! What sessions and agents with budgets have used up, ahead of the journal, and what calls on their way will use.

use baton_types::Spent;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// Totals that are kept; when there are more they are read again.
const KNOWN: usize = 4096;

/// Totals by name; one process owns the journal, so that what is counted here is what there is.
#[derive(Default)]
pub(crate) struct Tallies {
    known: Mutex<HashMap<String, Spent>>,
    /// What is set aside for calls on their way; there are no more of them than tasks at work.
    aside: Mutex<HashMap<String, Spent>>,
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

    /// Sets aside what a call will use, if that is allowed when all that others set aside is looked at, too: calls that
    /// begin together must not exceed together what each of them alone does not.
    pub(crate) fn set_aside<E>(
        self: &Arc<Self>,
        keys: Vec<String>,
        next: Spent,
        may: impl FnOnce(&dyn Fn(&str) -> Spent) -> Result<(), E>,
    ) -> Result<SetAside, E> {
        let mut aside = self.aside.lock();
        may(&|key| aside.get(key).copied().unwrap_or_default())?;
        for key in &keys {
            let held = aside.entry(key.clone()).or_default();
            *held = held.plus(next);
        }
        Ok(SetAside { tallies: Arc::clone(self), keys, next })
    }
}

/// What a call on its way will use; given back when the call is counted, or comes to nothing.
pub(crate) struct SetAside {
    tallies: Arc<Tallies>,
    keys: Vec<String>,
    next: Spent,
}

impl Drop for SetAside {
    fn drop(&mut self) {
        let mut aside = self.tallies.aside.lock();
        for key in &self.keys {
            let Some(held) = aside.get_mut(key) else { continue };
            held.tokens = held.tokens.saturating_sub(self.next.tokens);
            held.micro_dollars = held.micro_dollars.saturating_sub(self.next.micro_dollars);
            held.tool_calls = held.tool_calls.saturating_sub(self.next.tool_calls);
            if *held == Spent::default() {
                aside.remove(key);
            }
        }
    }
}
