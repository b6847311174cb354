//! Model registry for all agents.

use crate::{
    DetectedServers, EnvironmentVariables, LocalServerProbe, ModelCandidate, ModelChoice, ModelChoiceReason,
    ModelRegistryError, ModelSettings, ProviderSettings,
    candidate_cache::CandidateCache,
    candidates,
    choice::{PLAYBOOK, canonical_model},
    detect_servers,
    provider::build_provider,
    resolve_provider,
};
use baton_models::{GateLimits, ModelCatalog, ModelLayers, PlaybookModels, ProviderGate, StreamTimeouts, chain};
use baton_ports::{AgentSource, Embedder, Model, ModelError, ModelResolver};
use baton_providers::Provider;
use baton_types::{AgentResources, AgentSpec, Clock, ModelSpec, ProviderEntry};
use parking_lot::{Mutex, RwLock};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    hash::Hash,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// Maximum number of cached models and of cached gates.
const MAX_CACHE_ENTRIES: usize = 256;
/// Minimum time between two background detections.
const DETECTION_INTERVAL: Duration = Duration::from_secs(10);

/// Resolves the model of an agent. Agent resources are read again for every call, so a change takes effect with the
/// next call.
pub struct ModelRegistry {
    /// Self-reference for background tasks.
    weak_self: Weak<Self>,
    agents: Arc<dyn AgentSource>,
    playbooks: Arc<PlaybookModels>,
    settings: ModelSettings,
    environment: EnvironmentVariables,
    probe: Arc<dyn LocalServerProbe>,
    catalog: Arc<ModelCatalog>,
    clock: Arc<dyn Clock>,
    detected_servers: RwLock<DetectedServers>,
    last_detection: Mutex<Option<Instant>>,
    is_detecting: AtomicBool,
    candidates: CandidateCache,
    models: Mutex<HashMap<(ProviderSettings, String), Arc<dyn Model>>>,
    gates: Mutex<HashMap<ProviderSettings, Arc<ProviderGate>>>,
}

/// Models of an agent and the detected alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSelection {
    /// Selected models, in order.
    pub choice: ModelChoice,
    /// All detected models.
    pub candidates: Vec<ModelCandidate>,
}

impl ModelSelection {
    /// Whether the built-in model is selected.
    pub fn is_playbook(&self) -> bool {
        self.choice.models.first().is_none_or(|model| model == PLAYBOOK)
    }
}

/// Dependencies of the model registry.
pub struct ModelRegistryParts {
    /// Source of agents and their resources.
    pub agents: Arc<dyn AgentSource>,
    /// Built-in model.
    pub playbooks: Arc<PlaybookModels>,
    /// Settings for all agents.
    pub settings: ModelSettings,
    /// Environment variables.
    pub environment: EnvironmentVariables,
    /// Probe of local model servers.
    pub probe: Arc<dyn LocalServerProbe>,
    /// Context windows and prices.
    pub catalog: Arc<ModelCatalog>,
    /// Clock for prices and request signatures.
    pub clock: Arc<dyn Clock>,
}

impl fmt::Debug for ModelRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelRegistry").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl ModelRegistry {
    /// Creates a registry; detection has not run yet.
    pub fn new(parts: ModelRegistryParts) -> Arc<Self> {
        let ModelRegistryParts { agents, playbooks, settings, environment, probe, catalog, clock } = parts;
        Arc::new_cyclic(|me| Self {
            weak_self: me.clone(),
            agents,
            playbooks,
            settings,
            environment,
            probe,
            catalog,
            clock,
            detected_servers: RwLock::default(),
            last_detection: Mutex::default(),
            is_detecting: AtomicBool::new(false),
            candidates: CandidateCache::default(),
            models: Mutex::default(),
            gates: Mutex::default(),
        })
    }

    /// Settings for all agents.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// Context windows and prices.
    pub fn catalog(&self) -> &Arc<ModelCatalog> {
        &self.catalog
    }

    /// Detects model servers on this machine; takes at most about 300 ms.
    pub async fn detect(&self) {
        if !self.settings.detects {
            return;
        }
        let found = detect_servers(&self.environment, &*self.probe).await;
        *self.detected_servers.write() = found;
        self.candidates.clear();
        *self.last_detection.lock() = Some(Instant::now());
    }

    /// Detects in the background if the last detection is not recent, so that servers started later are found without a
    /// restart.
    pub fn detect_in_background(&self) {
        let is_recent = self.last_detection.lock().is_some_and(|looked| looked.elapsed() < DETECTION_INTERVAL);
        if is_recent || !self.settings.detects || self.is_detecting.swap(true, Ordering::AcqRel) {
            return;
        }
        let (Ok(runtime), Some(registry)) = (tokio::runtime::Handle::try_current(), self.weak_self.upgrade()) else {
            self.is_detecting.store(false, Ordering::Release);
            return;
        };
        runtime.spawn(async move {
            registry.detect().await;
            registry.is_detecting.store(false, Ordering::Release);
        });
    }

    /// Model selection of this agent and its alternatives; contains names of models and variables, never values.
    pub fn selection(&self, agent: &AgentSpec) -> Result<ModelSelection, ModelRegistryError> {
        let resources = self.agents.agent_resources(&agent.name);
        let candidates = self.candidates(&resources);
        let choice = ModelChoice::select(agent, &self.settings, &candidates)?;
        for model in &choice.models {
            self.resolve_model(model, &resources, &candidates)?;
        }
        Ok(ModelSelection { choice, candidates })
    }

    /// Available models for an agent with these resources.
    pub fn candidates(&self, resources: &AgentResources) -> Vec<ModelCandidate> {
        match self.settings.detects {
            true => candidates(resources, &self.environment, &self.detected_servers.read()),
            false => Vec::new(),
        }
    }

    /// The provider with the settings of an agent with these resources.
    pub fn provider(&self, id: &str, resources: &AgentResources) -> Result<Provider, ModelRegistryError> {
        let entries = self.provider_entries(&self.candidates(resources));
        let settings = resolve_provider(id, resources, &entries, &self.environment)?;
        Ok(build_provider(&settings, &self.clock))
    }

    /// Name of the setting with the key of a provider, otherwise of the setting with its address; never a value.
    pub fn key_source(&self, id: &str, resources: &AgentResources) -> Option<String> {
        let settings =
            resolve_provider(id, resources, &self.provider_entries(&self.candidates(resources)), &self.environment)
                .ok()?;
        settings.key.or(settings.pair.map(|(first, _, _)| first)).or(settings.base_url).map(|value| value.source)
    }

    /// Embedding model; `None` if not configured.
    pub fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>, ModelError> {
        let Some(name) = &self.settings.embeddings else { return Ok(None) };
        let name = canonical_model(name).map_err(configuration)?;
        let Some((id, model)) = name.split_once(':') else {
            return Err(ModelError::Configuration(format!("{name} is not an embedding model")));
        };
        self.provider(id, &AgentResources::default()).map_err(configuration)?.embedder(model).map(Some)
    }

    /// Provider entries of `baton.yaml`, plus detected servers that it does not list.
    fn provider_entries(&self, candidates: &[ModelCandidate]) -> Vec<ProviderEntry> {
        let mut entries = self.settings.providers.clone();
        for candidate in candidates {
            let (Some(url), Some((id, _))) = (&candidate.base_url, candidate.model.split_once(':')) else { continue };
            if !entries.iter().any(|entry| entry.id == id) {
                let keys = BTreeMap::from([("base_url".to_owned(), url.clone())]);
                entries.push(ProviderEntry { id: id.to_owned(), keys });
            }
        }
        entries
    }

    /// Provider settings and model name; `None` for the playbook.
    fn resolve_model<'a>(
        &self,
        model: &'a str,
        resources: &AgentResources,
        candidates: &[ModelCandidate],
    ) -> Result<Option<(ProviderSettings, &'a str)>, ModelRegistryError> {
        let Some((id, name)) = model.split_once(':') else { return Ok(None) };
        let settings = resolve_provider(id, resources, &self.provider_entries(candidates), &self.environment)?;
        Ok(Some((settings, name)))
    }

    fn cached_model(&self, settings: ProviderSettings, name: &str) -> Arc<dyn Model> {
        let key = (settings, name.to_owned());
        if let Some(model) = self.models.lock().get(&key) {
            return Arc::clone(model);
        }
        let provider = build_provider(&key.0, &self.clock);
        let defaults = GateLimits::default();
        let limits = GateLimits {
            concurrency: key.0.concurrency.map_or(defaults.concurrency, |limit| limit as usize),
            per_minute: key.0.per_minute,
            ..defaults
        };
        let gate = get_or_insert(&self.gates, key.0.clone(), || ProviderGate::new(key.0.id.clone(), limits));
        let mut layers = ModelLayers::new(gate, Arc::clone(&self.catalog), Arc::clone(&self.clock));
        let defaults = StreamTimeouts::default();
        layers.timeouts = StreamTimeouts {
            first_byte: key.0.first_byte.unwrap_or(defaults.first_byte),
            idle: key.0.idle.unwrap_or(defaults.idle),
        };
        let model = layers.wrap(provider.model(name));
        get_or_insert(&self.models, key, || model)
    }

    fn chain(&self, agent: &AgentSpec) -> Result<(Vec<Arc<dyn Model>>, ModelChoiceReason), ModelError> {
        let resources = self.agents.agent_resources(&agent.name);
        let candidates = self.candidates.get_or_find(&agent.name, &resources, || self.candidates(&resources));
        let choice = ModelChoice::select(agent, &self.settings, &candidates).map_err(configuration)?;
        let mut models = Vec::with_capacity(choice.models.len());
        for name in &choice.models {
            models.push(match self.resolve_model(name, &resources, &candidates).map_err(configuration)? {
                Some((settings, name)) => self.cached_model(settings, name),
                None => self.playbooks.model(agent)?,
            });
        }
        Ok((models, choice.reason))
    }
}

impl ModelResolver for ModelRegistry {
    fn model(&self, agent: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        if let ModelSpec::Peer { .. } = &agent.model {
            return self.playbooks.model(agent);
        }
        let (mut models, reason) = self.chain(agent)?;
        if reason == ModelChoiceReason::Default {
            self.detect_in_background();
        }
        let fallbacks = models.split_off(1);
        let first = models.into_iter().next().ok_or_else(|| ModelError::Configuration("no model".to_owned()))?;
        if fallbacks.is_empty() && first.name() == PLAYBOOK {
            return Ok(first);
        }
        Ok(chain(first, fallbacks, agent.limits.deadline))
    }
}

/// Returns the cached value of a key or inserts a new one; evicts an arbitrary entry when the cache is full.
fn get_or_insert<K: Eq + Hash + Clone, V: Clone>(all: &Mutex<HashMap<K, V>>, key: K, make: impl FnOnce() -> V) -> V {
    let mut all = all.lock();
    if !all.contains_key(&key)
        && all.len() >= MAX_CACHE_ENTRIES
        && let Some(any) = all.keys().next().cloned()
    {
        all.remove(&any);
    }
    all.entry(key).or_insert_with(make).clone()
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped by value")]
fn configuration(error: ModelRegistryError) -> ModelError {
    ModelError::Configuration(error.to_string())
}
