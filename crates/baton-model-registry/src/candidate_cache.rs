//! Candidates of recently used agents, so that a model call does not look up every variable of every provider.

use crate::ModelCandidate;
use baton_types::{AgentName, AgentResources};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Maximum number of agents.
const MAX_AGENTS: usize = 256;
/// Files that variables refer to, such as credential profiles, are read again after this time.
const MAX_AGE: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(crate) struct CandidateCache(Mutex<HashMap<AgentName, CachedCandidates>>);

struct CachedCandidates {
    resources: Arc<AgentResources>,
    found_at: Instant,
    candidates: Arc<[ModelCandidate]>,
}

impl CandidateCache {
    /// The candidates of an agent with exactly these resources.
    pub(crate) fn get_or_find(
        &self,
        agent: &AgentName,
        resources: &Arc<AgentResources>,
        find: impl FnOnce() -> Vec<ModelCandidate>,
    ) -> Arc<[ModelCandidate]> {
        let now = Instant::now();
        if let Some(cached) = self.0.lock().get(agent)
            && Arc::ptr_eq(&cached.resources, resources)
            && now.duration_since(cached.found_at) < MAX_AGE
        {
            return Arc::clone(&cached.candidates);
        }
        let candidates: Arc<[ModelCandidate]> = find().into();
        let cached =
            CachedCandidates { resources: Arc::clone(resources), found_at: now, candidates: Arc::clone(&candidates) };
        let mut agents = self.0.lock();
        if agents.len() >= MAX_AGENTS {
            agents.clear();
        }
        agents.insert(agent.clone(), cached);
        candidates
    }

    /// Forgets all candidates, because other servers were detected.
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn candidates_are_found_again_after_a_change_and_after_a_while() {
        let cache = CandidateCache::default();
        let (agent, mut resources) = (AgentName::from("weather"), Arc::new(AgentResources::default()));
        let find = |number: usize| {
            move || vec![ModelCandidate { model: format!("openai:{number}"), source: String::new(), base_url: None }]
        };
        let first = cache.get_or_find(&agent, &resources, find(1));
        assert_eq!(first, cache.get_or_find(&agent, &resources, find(2)));
        resources = Arc::new(AgentResources::default());
        assert_eq!(cache.get_or_find(&agent, &resources, find(3))[0].model, "openai:3");
        tokio::time::advance(MAX_AGE).await;
        assert_eq!(cache.get_or_find(&agent, &resources, find(4))[0].model, "openai:4");
        cache.clear();
        assert_eq!(cache.get_or_find(&agent, &resources, find(5))[0].model, "openai:5");
    }
}
