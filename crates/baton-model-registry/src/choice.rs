//! Model selection for an agent, with its reason.

use crate::{ModelCandidate, ModelRegistryError, ModelSettings};
use baton_types::{AgentSpec, KnownProvider, ProviderBackend};

/// Name of the built-in model.
pub(crate) const PLAYBOOK: &str = "playbook";

/// Selected models, in the order in which they are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// `playbook` or `provider:model`; never empty.
    pub models: Vec<String>,
    /// Reason for the first model.
    pub reason: ModelChoiceReason,
}

/// Reason for a model selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoiceReason {
    /// Configured by the agent definition or the session.
    Agent,
    /// Configured by `baton.yaml` or a flag.
    Settings,
    /// Detected in the environment or on this machine.
    Detected(ModelCandidate),
    /// Default: nothing is configured or detected.
    Default,
}

impl ModelChoice {
    /// Selects the models for this agent.
    pub fn select(
        agent: &AgentSpec,
        settings: &ModelSettings,
        candidates: &[ModelCandidate],
    ) -> Result<Self, ModelRegistryError> {
        let own = agent.writing.model.as_deref().map(canonical_model).transpose()?;
        let configured = settings.model.as_deref().map(canonical_model).transpose()?;
        let (first, reason) = match (own, configured, candidates.first()) {
            (Some(model), _, _) => (model, ModelChoiceReason::Agent),
            (None, Some(model), _) => (model, ModelChoiceReason::Settings),
            (None, None, Some(found)) => (found.model.clone(), ModelChoiceReason::Detected(found.clone())),
            (None, None, None) => (PLAYBOOK.to_owned(), ModelChoiceReason::Default),
        };
        if settings.production && first == PLAYBOOK {
            return Err(ModelRegistryError::NoProductionModel(agent.name.to_string()));
        }
        // Fallbacks are taken from the source that configures the model.
        let written = match reason {
            ModelChoiceReason::Agent => &agent.writing.fallbacks,
            _ if agent.writing.fallbacks.is_empty() => &settings.fallbacks,
            _ => &agent.writing.fallbacks,
        };
        let mut models = vec![first];
        for model in written {
            let model = canonical_model(model)?;
            if !models.contains(&model) {
                models.push(model);
            }
        }
        Ok(Self { models, reason })
    }
}

/// The model with the canonical id of its provider; every model of the test provider is the playbook.
pub(crate) fn canonical_model(text: &str) -> Result<String, ModelRegistryError> {
    if text == PLAYBOOK {
        return Ok(text.to_owned());
    }
    let split = text.split_once(':').filter(|(provider, model)| !provider.is_empty() && !model.trim().is_empty());
    let (provider, model) =
        split.ok_or_else(|| ModelRegistryError::InvalidModelName(text.chars().take(60).collect()))?;
    Ok(match KnownProvider::find(provider) {
        Some(known) if known.backend == ProviderBackend::Playbook => PLAYBOOK.to_owned(),
        Some(known) => format!("{}:{model}", known.id),
        None => text.to_owned(),
    })
}
