//! Usage of the rules, and messages without a matching rule.

use baton_ports::ModelError;
use baton_types::AgentName;
use parking_lot::Mutex;
use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

const MAX_MISSES: usize = 100;
const MAX_MISS_CHARS: usize = 200;

/// Usage of the rules since the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaybookReport {
    /// All rules, by agent and line.
    pub rules: Vec<RuleReport>,
    /// Number of model calls without a matching rule.
    pub missed: u64,
    /// The first 100 of them.
    pub misses: Vec<PlaybookMiss>,
}

impl PlaybookReport {
    /// Rules that never matched.
    pub fn unused(&self) -> impl Iterator<Item = &RuleReport> {
        self.rules.iter().filter(|rule| rule.uses == 0)
    }
}

/// One rule and its number of uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// Name of the agent; the first one if several share the playbook.
    pub agent: AgentName,
    /// Name of the rule, if any.
    pub name: Option<String>,
    /// Line in `playbook.yaml`.
    pub line: u32,
    /// Number of answers.
    pub uses: u64,
}

/// A model call without a matching rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaybookMiss {
    /// Agent of the call.
    pub agent: AgentName,
    /// Start of the user message.
    pub user: String,
}

/// State shared by all playbooks of a process.
#[derive(Debug, Default)]
pub(super) struct SharedPlaybookState {
    strict: bool,
    calls: AtomicU64,
    missed: AtomicU64,
    misses: Mutex<Vec<PlaybookMiss>>,
    // Seeds `${unique}`, so that it also differs across restarts.
    salt: RandomState,
}

impl SharedPlaybookState {
    pub(super) fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// A unique number per call.
    pub(super) fn unique(&self) -> u64 {
        self.salt.hash_one(self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Records a call without a matching rule; an error in strict mode.
    pub(super) fn record_miss(&self, agent: &AgentName, user: &str) -> Result<(), ModelError> {
        self.missed.fetch_add(1, Ordering::Relaxed);
        let user: String = user.chars().take(MAX_MISS_CHARS).collect();
        let error = ModelError::Configuration(format!(
            "strict playbook: no rule of agent '{agent}' matches {user:?}; add one to playbook.yaml"
        ));
        let mut misses = self.misses.lock();
        if misses.len() < MAX_MISSES {
            misses.push(PlaybookMiss { agent: agent.clone(), user });
        }
        if self.strict { Err(error) } else { Ok(()) }
    }

    pub(super) fn misses(&self) -> (u64, Vec<PlaybookMiss>) {
        (self.missed.load(Ordering::Relaxed), self.misses.lock().clone())
    }
}
