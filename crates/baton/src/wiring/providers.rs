//! Reports all providers, their readiness and their models.

use super::{
    agents::{self, AgentSelection},
    models::model_registry,
};
use crate::{config::BatonSettings, failure::CliError, wiring::now};
use baton_model_registry::{ModelChoice, ModelRegistry};
use baton_models::PlaybookModels;
use baton_ports::AgentSource;
use baton_types::{AgentName, AgentResources, ErrorCode, KnownProvider, PROVIDERS, ProviderSetting};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// Timeout of a model list request.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum models reported per provider.
const MAX_MODELS: usize = 2_000;

/// Whether providers are queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProviderQuery {
    /// Report the configuration only.
    Skip,
    /// Query each configured provider for its models.
    All,
}

/// Report of all providers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelsReport {
    /// The current default model.
    pub(crate) model: String,
    /// How it was detected.
    pub(crate) source: Option<String>,
    pub(crate) providers: Vec<ProviderReport>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProviderReport {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) readiness: Readiness,
    /// Source of its key, or its address.
    pub(crate) from: Option<String>,
    pub(crate) models: Vec<ModelReport>,
}

/// Readiness of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// Configured; `live` if it responded to a query.
    Ready { live: bool },
    /// Missing configuration.
    Missing(String),
    /// Reason of a failure.
    Failing(String),
}

/// A model; prices in dollars per million tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelReport {
    pub(crate) id: String,
    pub(crate) window: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) input: Option<f64>,
    pub(crate) output: Option<f64>,
}

impl ProviderReport {
    /// JSON form.
    pub(crate) fn to_json(&self) -> Value {
        let (status, detail) = match &self.readiness {
            Readiness::Ready { live: true } => ("ready", None),
            Readiness::Ready { live: false } => ("configured", None),
            Readiness::Missing(problem) => ("missing", Some(problem)),
            Readiness::Failing(problem) => ("failing", Some(problem)),
        };
        let models: Vec<_> = self
            .models
            .iter()
            .map(|model| {
                json!({ "id": model.id, "window": model.window, "max_output": model.max_output,
                    "input": model.input, "output": model.output })
            })
            .collect();
        json!({ "id": self.id, "title": self.title, "status": status, "detail": detail, "from": self.from, "models": models })
    }
}

/// Reports all providers, or one, with the configuration of this agent.
pub(crate) async fn report(
    settings: &BatonSettings,
    agent: Option<&str>,
    only: Option<&str>,
    asks: ProviderQuery,
) -> Result<ModelsReport, CliError> {
    let (locals, _) = agents::open(AgentSelection::all(settings))?;
    let locals: Arc<dyn AgentSource> = Arc::new(locals);
    let lineup = model_registry(settings, Arc::clone(&locals), Arc::new(PlaybookModels::new()));
    if asks == ProviderQuery::All {
        lineup.detect().await;
    }
    let resources = match agent {
        Some(name) => {
            let name = AgentName::from(name);
            let missing = || CliError::new(ErrorCode::AGENT_NOT_FOUND, format!("there is no agent '{name}' here"));
            locals.agent(&name).ok_or_else(missing)?;
            locals.agent_resources(&name)
        }
        None => Arc::new(AgentResources::default()),
    };
    let candidates = lineup.candidates(&resources);
    let found = candidates.first();
    let own = agent.and_then(|name| locals.agent(&AgentName::from(name)));
    let chosen = own.and_then(|agent| ModelChoice::select(&agent, lineup.settings(), &candidates).ok());
    let house = || lineup.settings().model.clone().or_else(|| found.map(|found| found.model.clone()));
    let model = chosen.and_then(|choice| choice.models.first().cloned()).or_else(house);
    let model = model.unwrap_or_else(|| "playbook".to_owned());
    let source = found.filter(|found| found.model == model).map(|found| found.source.clone());
    let known = PROVIDERS.iter().filter(|known| known.backend.protocol().is_some());
    let mut ids: Vec<&str> = known.map(|known| known.id).collect();
    let entries = resources.providers.iter().chain(&lineup.settings().providers);
    for id in entries.map(|entry| entry.id.as_str()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if let Some(only) = only {
        let only = KnownProvider::find(only).map_or(only, |known| known.id);
        ids.retain(|id| *id == only);
    }
    let providers = join_all(ids.into_iter().map(|id| provider(&lineup, id, &resources, asks))).await;
    Ok(ModelsReport { model, source, providers })
}

async fn provider(lineup: &ModelRegistry, id: &str, resources: &AgentResources, asks: ProviderQuery) -> ProviderReport {
    let known = KnownProvider::find(id);
    let title = known.map_or("custom server", |known| known.title).to_owned();
    let mut report = ProviderReport {
        id: id.to_owned(),
        title,
        readiness: Readiness::Ready { live: false },
        from: None,
        models: Vec::new(),
    };
    let reached = match lineup.provider(id, resources) {
        Ok(reached) => reached,
        Err(error) => return ProviderReport { readiness: Readiness::Missing(error.to_string()), ..report },
    };
    report.from = lineup.key_source(id, resources);
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
            report.models = models.map(|model| model_report(lineup, id, model)).collect();
        }
        Ok(Err(error)) => report.readiness = Readiness::Failing(error.to_string()),
        Err(_) => report.readiness = Readiness::Failing("no response".to_owned()),
    }
    report
}

fn model_report(lineup: &ModelRegistry, id: &str, model: baton_providers::ListedModel) -> ModelReport {
    let name = format!("{id}:{}", model.id);
    let catalog = lineup.catalog();
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
