//! Summary of the models in use; never contains a key.

use crate::ServerError;
use baton_model_registry::{ModelChoiceReason, ModelRegistry, ModelRegistryError};
use baton_ports::AgentSource;
use baton_types::AgentResources;

/// Maximum agents inspected for the summary.
const MAX_INSPECTED_AGENTS: usize = 50;

/// Default model, other detected models, and models that agents name themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSummary {
    /// `playbook`, or `provider:model`.
    pub model: String,
    /// How the model was detected; none if it was configured.
    pub source: Option<String>,
    /// Other models that were detected.
    pub others: Vec<DetectedModel>,
    /// Agents that name a model.
    pub agent_models: Vec<AgentModel>,
    /// An agent for the sample command.
    pub sample_agent: Option<String>,
}

/// A detected model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedModel {
    /// `provider:model`.
    pub model: String,
    /// How it was detected.
    pub source: String,
}

/// The model of an agent that names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentModel {
    /// Name of the agent.
    pub agent: String,
    /// `provider:model`.
    pub model: String,
    /// Reason why the model cannot be used.
    pub problem: Option<String>,
}

/// Summary of the default model and the models of agents.
pub(crate) fn summarize(registry: &ModelRegistry, agents: &dyn AgentSource) -> Result<ModelSummary, ServerError> {
    // Listings do not load definitions; this loads a few of them.
    let listed = agents.listings();
    let agents: Vec<_> =
        listed.iter().take(MAX_INSPECTED_AGENTS).filter_map(|entry| agents.agent(&entry.name)).collect();
    let settings = registry.settings();
    let candidates = registry.candidates(&AgentResources::default());
    if let Some(model) = &settings.model
        && let Some((id, _)) = model.split_once(':')
    {
        registry.provider(id, &AgentResources::default())?;
    }
    let (model, source) = match (&settings.model, candidates.first()) {
        (Some(model), _) => (model.clone(), None),
        (None, Some(found)) => (found.model.clone(), Some(found.source.clone())),
        (None, None) => ("playbook".to_owned(), None),
    };
    let mut own = Vec::new();
    for agent in agents.iter().filter(|agent| !agent.is_peer()) {
        match registry.selection(agent) {
            Err(error @ ModelRegistryError::NoProductionModel(_)) => return Err(error.into()),
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
