//! Model providers as configured by an agent.

use std::{collections::BTreeMap, fmt};

/// Provider entry of an agent definition or of `baton.yaml`; its values are not expanded.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderEntry {
    /// `openai`, `claude`, `gemini`, `bedrock`, `ollama`, `docker`, … or a custom name with a base URL.
    pub id: String,
    /// Settings by their written names, such as `OPENAI_API_KEY`. A value is a literal or `env://NAME`.
    pub keys: BTreeMap<String, String>,
}

/// Shows names only: values may be secrets.
impl fmt::Debug for ProviderEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderEntry").field("id", &self.id).field("keys", &self.keys.keys()).finish()
    }
}

/// Variables of one agent, from the `.env` next to its definition; never those of the process.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AgentVariables(pub BTreeMap<String, String>);

/// Shows names only: values may be secrets.
impl fmt::Debug for AgentVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AgentVariables").field(&self.0.keys()).finish()
    }
}
