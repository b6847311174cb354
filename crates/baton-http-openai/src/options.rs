//! Options of the OpenAI API.

use baton_types::AgentName;

/// Defaults for requests that omit the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponsesOptions {
    /// Agent for requests without a model, if several agents are served.
    pub default_agent: Option<AgentName>,
    /// Whether a model is required, as in strict conformance tests.
    pub strict_model: bool,
}
