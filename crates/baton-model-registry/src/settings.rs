//! Model settings for all agents.

use baton_types::ProviderEntry;

/// Model settings from `baton.yaml` and flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// Default model: `playbook` or `provider:model`.
    pub model: Option<String>,
    /// Fallback models for the default model.
    pub fallbacks: Vec<String>,
    /// Provider entries; they take precedence over the environment.
    pub providers: Vec<ProviderEntry>,
    /// Embedding model, as `provider:model`.
    pub embeddings: Option<String>,
    /// Production mode: the playbook must not replace a model.
    pub production: bool,
    /// Whether models are detected from environment variables and servers on this machine.
    pub detects: bool,
}
