//! The playbooks of all agents, each parsed once.

use super::{
    model::Playbook,
    report::{PlaybookReport, SharedPlaybookState},
};
use crate::{JitterSource, RetryModel, RetryPolicy};
use baton_ports::{Model, ModelError, ModelResolver};
use baton_types::{AgentName, AgentSpec, ModelSpec};
use foldhash::HashMap;
use parking_lot::RwLock;
use std::sync::Arc;

const MAX_PLAYBOOKS: usize = 256;

/// Resolves the playbook of an agent; parses each text once and caches at most 256.
#[derive(Default)]
pub struct PlaybookModels {
    ledger: Arc<SharedPlaybookState>,
    // Keyed by the text itself: comparing it is cheaper than computing a digest.
    parsed: RwLock<HashMap<Option<String>, CachedPlaybook>>,
}

struct CachedPlaybook {
    agent: AgentName,
    playbook: Arc<Playbook>,
    /// The playbook with its retries.
    model: Arc<dyn Model>,
}

impl CachedPlaybook {
    fn new(agent: AgentName, playbook: Playbook) -> Self {
        let requests_retries = playbook.requests_retries();
        let playbook = Arc::new(playbook);
        let mut model = Arc::clone(&playbook) as Arc<dyn Model>;
        if requests_retries {
            model = Arc::new(RetryModel::new(model, RetryPolicy::on_request(), JitterSource::default()));
        }
        Self { agent, playbook, model }
    }
}

impl PlaybookModels {
    /// Creates playbooks that give a default answer to a message without a matching rule.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates playbooks that fail on a message without a matching rule; for tests.
    pub fn strict() -> Self {
        Self { ledger: Arc::new(SharedPlaybookState::strict()), parsed: RwLock::default() }
    }

    /// Usage of each rule of the playbooks resolved so far, and the messages without a matching rule.
    pub fn report(&self) -> PlaybookReport {
        let parsed = self.parsed.read();
        let mut rules: Vec<_> = parsed.values().flat_map(|entry| entry.playbook.report(&entry.agent)).collect();
        rules.sort_by(|a, b| (&a.agent, a.line).cmp(&(&b.agent, b.line)));
        let (missed, misses) = self.ledger.misses();
        PlaybookReport { rules, missed, misses }
    }
}

impl ModelResolver for PlaybookModels {
    fn model(&self, agent: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        let ModelSpec::Playbook { rules } = &agent.model else {
            return Err(ModelError::Configuration(format!("'{}' is a remote agent and has no model here", agent.name)));
        };
        if let Some(entry) = self.parsed.read().get(rules) {
            return Ok(Arc::clone(&entry.model));
        }
        let playbook = Playbook::with_shared_state(rules.as_deref(), Arc::clone(&self.ledger))?;
        let mut parsed = self.parsed.write();
        if parsed.len() >= MAX_PLAYBOOKS
            && let Some(any) = parsed.keys().next().cloned()
        {
            parsed.remove(&any);
        }
        let entry = parsed.entry(rules.clone()).or_insert_with(|| CachedPlaybook::new(agent.name.clone(), playbook));
        Ok(Arc::clone(&entry.model))
    }
}

impl std::fmt::Debug for PlaybookModels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PlaybookModels({})", self.parsed.read().len())
    }
}
