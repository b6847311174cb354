//! Options that a caller sets for one run: sampling, answer format and additional tools.

use crate::{AnswerFormat, CallerServerSpec, Json, Thousandths, ToolSpec};
use serde::{Deserialize, Serialize};

/// Options for the runs that a message starts. They apply until a later message sets new ones; unset options default to
/// the agent definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// Instructions placed after the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Functions of the caller; calls of them are returned to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<CallerTool>,
    /// MCP servers of the caller, whose tools the agent runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<CallerServerSpec>,
    /// Tools that may or must be called.
    #[serde(skip_serializing_if = "CallerToolChoice::is_auto")]
    pub tool_choice: CallerToolChoice,
    /// Whether a turn makes at most one tool call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disable_parallel_tool_calls: bool,
    /// Upper bound on calls that the agent runs; further calls are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// Required answer format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerFormat>,
    /// Upper bound on output tokens per model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// Nucleus sampling threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// Stop sequences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Reasoning effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Whether a conversation that exceeds the context window is an error instead of being compacted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_truncation: bool,
    /// Whether text deltas are journaled, so that a stream can be resumed at any position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub journal_deltas: bool,
    /// Metadata stored for the surface that received the message; not read by anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Json>,
}

impl RunOptions {
    /// Whether a call of this name is run by the caller.
    pub fn has_caller_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name) && self.tool_choice.allows(name)
    }

    /// Tools of the caller's servers.
    pub fn caller_server_tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.servers.iter().flat_map(|server| &server.tools)
    }

    /// Finds a tool of the caller's servers by name.
    pub fn find_caller_server_tool(&self, name: &str) -> Option<&ToolSpec> {
        self.caller_server_tools().find(|tool| tool.name == name)
    }
}

/// A function that is run by the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerTool {
    /// Name for the model.
    pub name: String,
    /// Description for the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
}

/// Tool choice of a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallerToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool calls.
    None,
    /// At least one call in the first turn.
    Required,
    /// A call of this tool in the first turn.
    Named(String),
    /// Only calls of these tools.
    Only {
        /// Names of the allowed tools.
        names: Vec<String>,
        /// Whether one of them must be called in the first turn.
        required: bool,
    },
}

impl CallerToolChoice {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }

    /// Whether a tool of this name may be called.
    pub fn allows(&self, name: &str) -> bool {
        match self {
            Self::Auto | Self::Required | Self::Named(_) => true,
            Self::None => false,
            Self::Only { names, .. } => names.iter().any(|allowed| allowed == name),
        }
    }
}
