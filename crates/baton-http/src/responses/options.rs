//! What the surface is told about these dialects.

use baton_types::AgentName;

/// How requests that leave something open are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponsesOptions {
    /// Who answers requests that name nobody, when several agents are served.
    pub default_agent: Option<AgentName>,
    /// Whether requests must name somebody, as strict conformance tests want it.
    pub strict_model: bool,
}
