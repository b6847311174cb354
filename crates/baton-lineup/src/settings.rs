//! What holds for all agents of a Baton.

use baton_types::ProviderEntry;

/// What `baton.yaml` and flags say about models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// Who answers for agents that name nobody: `playbook`, or `provider:model`.
    pub model: Option<String>,
    /// Who is asked when that one does not answer.
    pub fallbacks: Vec<String>,
    /// Services, before what the environment says.
    pub providers: Vec<ProviderEntry>,
    /// Who turns texts into vectors, as `provider:model`.
    pub embeddings: Option<String>,
    /// Whether the playbook may not stand in for a model.
    pub production: bool,
    /// Whether variables and servers of this machine are looked for.
    pub detects: bool,
}
