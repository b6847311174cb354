//! Running the tools that an agent defines.

use crate::BoxFuture;
use baton_types::{AgentSpec, Json, ToolCall, ToolSpec};

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// Any JSON value; plain text is a JSON string.
    pub output: Json,
    /// Whether the tool failed; the output then says how, for the model.
    pub is_error: bool,
}

/// Runs tools; dropping the future stops the tool.
pub trait ToolHost: Send + Sync + 'static {
    /// Runs one call to its end; failures of the tool are outputs, not errors.
    fn call<'a>(&'a self, agent: &'a AgentSpec, tool: &'a ToolSpec, call: &'a ToolCall) -> BoxFuture<'a, ToolOutput>;
}
