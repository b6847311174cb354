//! Model registry of all agents, and its start-up summary.

use super::baton::Baton;
use crate::{
    config::BatonSettings,
    failure::CliError,
    model_summary::{AgentModel, DetectedModel, ModelSummary},
};
use baton_engine::Engine;
use baton_local::VectorFiles;
use baton_model_registry::{
    LoopbackProbe, ModelChoiceReason, ModelRegistry, ModelRegistryError, ModelRegistryParts, process_environment,
};
use baton_models::{ModelCatalog, PlaybookModels, TokenRates};
use baton_ports::AgentSource;
use baton_system::SystemClock;
use baton_types::{AgentResources, ErrorCode};
use std::{path::Path, sync::Arc};

/// Maximum agents inspected for the start-up summary.
const MAX_INSPECTED_AGENTS: usize = 50;

/// Model registry for these agents and settings; detection has not run yet.
pub(crate) fn model_registry(
    settings: &BatonSettings,
    agents: Arc<dyn AgentSource>,
    playbooks: Arc<PlaybookModels>,
) -> Arc<ModelRegistry> {
    let own = settings.prices.iter().map(|price| {
        let dollars = |part: Option<crate::money::Money>| part.unwrap_or(price.input).dollars();
        let rates = TokenRates {
            input: price.input.dollars(),
            output: price.output.dollars(),
            cached: dollars(price.cached),
            cache_write: dollars(price.cache_write),
        };
        (price.model.clone(), rates)
    });
    ModelRegistry::new(ModelRegistryParts {
        agents,
        playbooks,
        settings: settings.models.clone(),
        environment: process_environment(),
        probe: Arc::new(LoopbackProbe),
        catalog: Arc::new(ModelCatalog::new(own)),
        clock: Arc::new(SystemClock),
    })
}

/// Summary of the default model and the models of agents.
pub(super) fn model_summary(lineup: &ModelRegistry, agents: &dyn AgentSource) -> Result<ModelSummary, CliError> {
    // Listings do not load definitions; this loads a few of them.
    let listed = agents.listings();
    let agents: Vec<_> =
        listed.iter().take(MAX_INSPECTED_AGENTS).filter_map(|entry| agents.agent(&entry.name)).collect();
    let settings = lineup.settings();
    let candidates = lineup.candidates(&AgentResources::default());
    if let Some(model) = &settings.model {
        let id = model.split_once(':').map(|(id, _)| id);
        id.map_or(Ok(()), |id| lineup.provider(id, &AgentResources::default()).map(drop))
            .map_err(|error| model_failure(&error))?;
    }
    let (model, source) = match (&settings.model, candidates.first()) {
        (Some(model), _) => (model.clone(), None),
        (None, Some(found)) => (found.model.clone(), Some(found.source.clone())),
        (None, None) => ("playbook".to_owned(), None),
    };
    let mut own = Vec::new();
    for agent in agents.iter().filter(|agent| !agent.is_peer()) {
        match lineup.selection(agent) {
            Err(error @ ModelRegistryError::NoProductionModel(_)) => return Err(model_failure(&error)),
            Err(error) => own.push(AgentModel {
                agent: agent.name.to_string(),
                model: agent.writing.model.clone().unwrap_or_else(|| model.clone()),
                problem: Some(error.to_string()),
            }),
            Ok(selection) => {
                let answers = selection.choice.models.first().cloned().unwrap_or_default();
                if selection.choice.reason == ModelChoiceReason::Agent || answers != model {
                    own.push(AgentModel { agent: agent.name.to_string(), model: answers, problem: None });
                }
            }
        }
    }
    let others = candidates.iter().filter(|candidate| candidate.model != model);
    let others = others
        .map(|candidate| DetectedModel { model: candidate.model.clone(), source: candidate.source.clone() })
        .collect();
    let first = agents.iter().find(|agent| !agent.is_peer()).map(|agent| agent.name.to_string());
    Ok(ModelSummary { model, source, others, agent_models: own, sample_agent: first })
}

/// The engine with embeddings, if an embedding model is configured.
pub(super) fn with_embeddings(engine: Engine, lineup: &ModelRegistry, data: &Path) -> Result<Engine, CliError> {
    let embedder = lineup.embedder().map_err(|error| {
        CliError::new(ErrorCode::CONFIG_INVALID, format!("embeddings: {error}"))
            .hint("`baton models` shows which providers are ready and what the others need.")
    })?;
    Ok(match embedder {
        Some(embedder) => engine.with_embedder(embedder, Arc::new(VectorFiles::new(&data.join("vectors")))),
        None => engine,
    })
}

fn model_failure(error: &ModelRegistryError) -> CliError {
    CliError::new(ErrorCode::CONFIG_INVALID, error.to_string())
        .hint("`baton models` shows which providers are ready and what the others need.")
}

impl Baton {
    /// Reloads agents and models on SIGHUP, in the background.
    #[cfg(unix)]
    pub(crate) fn reload_on_sighup(&self) {
        use tokio::signal::unix::{SignalKind, signal};
        let (agents, models) = (Arc::clone(&self.agents), Arc::clone(self.models()));
        let mut hangups = match signal(SignalKind::hangup()) {
            Ok(hangups) => hangups,
            Err(error) => {
                tracing::warn!(%error, "the SIGHUP handler could not be installed; restart to reload agents and models");
                return;
            }
        };
        tokio::spawn(self.stopping.clone().run_until_cancelled_owned(async move {
            while hangups.recv().await.is_some() {
                let unusable = agents.refresh().await;
                models.detect().await;
                let found = models.candidates(&AgentResources::default());
                let model = found.first().map_or("playbook", |found| found.model.as_str());
                tracing::info!(unusable = unusable.len(), model, "reloaded agents and models");
            }
        }));
    }

    /// No-op: this platform has no SIGHUP.
    #[cfg(not(unix))]
    pub(crate) fn reload_on_sighup(&self) {}
}
