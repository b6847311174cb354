//! Reports all providers, their readiness and their models.

use super::open_registry;
use crate::{AgentOptions, ModelOptions, ServerError, agents, now};
use baton_model_registry::{ModelChoice, ModelRegistry};
use baton_models::PlaybookModels;
use baton_ports::AgentSource;
use baton_types::{AgentName, AgentResources, KnownProvider, PROVIDERS, ProviderSetting};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};

/// Timeout of a model list request.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum models reported per provider.
const MAX_MODELS: usize = 2_000;

/// Whether providers are queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderQuery {
    /// Report the configuration only.
    Skip,
    /// Query each configured provider for its models.
    All,
}

/// Report of all providers.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelsReport {
    /// The current default model.
    pub model: String,
    /// How it was detected.
    pub source: Option<String>,
    /// All providers, or the requested one.
    pub providers: Vec<ProviderReport>,
}

/// A provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderReport {
    /// Id in the names of its models.
    pub id: String,
    /// Display name.
    pub title: String,
    /// Readiness.
    pub readiness: Readiness,
    /// Source of its key, or its address.
    pub from: Option<String>,
    /// Its models.
    pub models: Vec<ModelReport>,
}

/// Readiness of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Configured; `live` if it responded to a query.
    Ready {
        /// Whether it responded.
        live: bool,
    },
    /// Missing configuration.
    Missing(String),
    /// Reason of a failure.
    Failing(String),
}

/// A model; prices in dollars per million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReport {
    /// Name at the provider.
    pub id: String,
    /// Context window in tokens.
    pub window: Option<u64>,
    /// Maximum output in tokens.
    pub max_output: Option<u64>,
    /// Price of input.
    pub input: Option<f64>,
    /// Price of output.
    pub output: Option<f64>,
}

/// Request for a report of providers.
#[derive(Clone, Debug)]
pub struct ProviderRequest {
    /// Agent whose providers and variables are included.
    pub agent: Option<AgentName>,
    /// The only provider to report.
    pub provider: Option<String>,
    /// Whether providers are queried.
    pub query: ProviderQuery,
}

impl ProviderRequest {
    /// Reports the providers with the configuration of these options.
    pub async fn run(self, agents: &AgentOptions, models: ModelOptions) -> Result<ModelsReport, ServerError> {
        let Self { agent, provider: only, query: asks } = self;
        let locals: Arc<dyn AgentSource> = Arc::new(agents::open(agents)?.source);
        let registry = open_registry(models, Arc::clone(&locals), Arc::new(PlaybookModels::new()));
        if asks == ProviderQuery::All {
            registry.detect().await;
        }
        let resources = match &agent {
            Some(name) => {
                locals.agent(name).ok_or_else(|| ServerError::UnknownAgent(name.clone()))?;
                locals.agent_resources(name)
            }
            None => Arc::new(AgentResources::default()),
        };
        let candidates = registry.candidates(&resources);
        let found = candidates.first();
        let own = agent.and_then(|name| locals.agent(&name));
        let chosen = own.and_then(|agent| ModelChoice::select(&agent, registry.settings(), &candidates).ok());
        let house = || registry.settings().model.clone().or_else(|| found.map(|found| found.model.clone()));
        let model = chosen.and_then(|choice| choice.models.first().cloned()).or_else(house);
        let model = model.unwrap_or_else(|| "playbook".to_owned());
        let source = found.filter(|found| found.model == model).map(|found| found.source.clone());
        let known = PROVIDERS.iter().filter(|known| known.backend.protocol().is_some());
        let mut ids: Vec<&str> = known.map(|known| known.id).collect();
        let entries = resources.providers.iter().chain(&registry.settings().providers);
        for id in entries.map(|entry| entry.id.as_str()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        if let Some(only) = &only {
            let only = KnownProvider::find(only).map_or(only.as_str(), |known| known.id);
            ids.retain(|id| *id == only);
        }
        let providers = join_all(ids.into_iter().map(|id| provider(&registry, id, &resources, asks))).await;
        Ok(ModelsReport { model, source, providers })
    }
}

async fn provider(
    registry: &ModelRegistry,
    id: &str,
    resources: &AgentResources,
    asks: ProviderQuery,
) -> ProviderReport {
    let known = KnownProvider::find(id);
    let title = known.map_or("custom server", |known| known.title).to_owned();
    let mut report = ProviderReport {
        id: id.to_owned(),
        title,
        readiness: Readiness::Ready { live: false },
        from: None,
        models: Vec::new(),
    };
    let reached = match registry.provider(id, resources) {
        Ok(reached) => reached,
        Err(error) => return ProviderReport { readiness: Readiness::Missing(error.to_string()), ..report },
    };
    report.from = registry.key_source(id, resources);
    if asks == ProviderQuery::Skip {
        return report;
    }
    let listed = tokio::time::timeout(LIST_TIMEOUT, reached.list()).await;
    // A local provider at its default address was not configured explicitly.
    let local = known.filter(|known| report.from.is_none() && known.base_url.is_some());
    if let (Some(local), Ok(Err(_)) | Err(_)) = (local, &listed) {
        let variable = local.variables(ProviderSetting::BaseUrl).next().unwrap_or("base_url");
        let message = format!("no server at its default address; start it, or set {variable}");
        return ProviderReport { readiness: Readiness::Missing(message), ..report };
    }
    match listed {
        Ok(Ok(listed)) => {
            report.readiness = Readiness::Ready { live: true };
            let models = listed.into_iter().take(MAX_MODELS);
            report.models = models.map(|model| model_report(registry, id, model)).collect();
        }
        Ok(Err(error)) => report.readiness = Readiness::Failing(error.to_string()),
        Err(_) => report.readiness = Readiness::Failing("no response".to_owned()),
    }
    report
}

fn model_report(registry: &ModelRegistry, id: &str, model: baton_providers::ListedModel) -> ModelReport {
    let name = format!("{id}:{}", model.id);
    let catalog = registry.catalog();
    let known = catalog.knows_window(&name).then(|| catalog.model_info(&name));
    let rates = catalog.rates(&name, now());
    ModelReport {
        window: model.window.or_else(|| known.as_ref().and_then(|about| about.window)),
        max_output: model.max_output.or_else(|| known.as_ref().and_then(|about| about.max_output)),
        input: rates.map(|rates| rates.input),
        output: rates.map(|rates| rates.output),
        id: model.id,
    }
}
