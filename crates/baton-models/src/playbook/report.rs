//! Which rules were used and which messages found none.

use baton_ports::ModelError;
use baton_types::AgentName;
use parking_lot::Mutex;
use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

const MAX_MISSES: usize = 100;
const MAX_MISS_CHARS: usize = 200;

/// The use of rules since the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaybookReport {
    /// Every rule, by agent and line.
    pub rules: Vec<RuleReport>,
    /// How many model calls found no rule.
    pub missed: u64,
    /// The first hundred of them.
    pub misses: Vec<Miss>,
}

impl PlaybookReport {
    /// Rules that never answered.
    pub fn unused(&self) -> impl Iterator<Item = &RuleReport> {
        self.rules.iter().filter(|rule| rule.uses == 0)
    }
}

/// One rule and how often it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// The agent; the first one, when several have the same playbook.
    pub agent: AgentName,
    /// The rule's name, when it has one.
    pub name: Option<String>,
    /// Its line in `playbook.yaml`.
    pub line: u32,
    /// How often it answered.
    pub uses: u64,
}

/// A model call without a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The agent that was asked.
    pub agent: AgentName,
    /// The beginning of what the user said.
    pub user: String,
}

/// What all playbooks of a process share.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    strict: bool,
    calls: AtomicU64,
    missed: AtomicU64,
    misses: Mutex<Vec<Miss>>,
    // Seeds `${unique}`, so that it differs across restarts too.
    salt: RandomState,
}

impl Ledger {
    pub(super) fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// A number that no other call gets.
    pub(super) fn unique(&self) -> u64 {
        self.salt.hash_one(self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Notes a call without a rule, which is an error when strict.
    pub(super) fn missed(&self, agent: &AgentName, user: &str) -> Result<(), ModelError> {
        self.missed.fetch_add(1, Ordering::Relaxed);
        let user: String = user.chars().take(MAX_MISS_CHARS).collect();
        let error = ModelError::Configuration(format!(
            "strict playbook: no rule of agent '{agent}' matches {user:?}; add one to playbook.yaml"
        ));
        let mut misses = self.misses.lock();
        if misses.len() < MAX_MISSES {
            misses.push(Miss { agent: agent.clone(), user });
        }
        if self.strict { Err(error) } else { Ok(()) }
    }

    pub(super) fn misses(&self) -> (u64, Vec<Miss>) {
        (self.missed.load(Ordering::Relaxed), self.misses.lock().clone())
    }
}
