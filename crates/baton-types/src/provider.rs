//! Services that models are reached through.

use std::{collections::BTreeMap, fmt};

/// A provider as an agent's definition or `baton.yaml` names it; nothing in it is expanded yet.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderEntry {
    /// `openai`, `claude`, `gemini`, `bedrock`, `ollama`, `docker`, … or a name of the author's own with a base URL.
    pub id: String,
    /// Settings by the names that the author wrote, such as `OPENAI_API_KEY`; a value is a literal, or `env://NAME`.
    pub keys: BTreeMap<String, String>,
}

/// Values may be secrets: only their names are shown.
impl fmt::Debug for ProviderEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderEntry").field("id", &self.id).field("keys", &self.keys.keys()).finish()
    }
}

/// Variables that belong to one agent, from the `.env` beside its definition; never those of the process.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AgentVariables(pub BTreeMap<String, String>);

/// Values may be secrets: only their names are shown.
impl fmt::Debug for AgentVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AgentVariables").field(&self.0.keys()).finish()
    }
}
