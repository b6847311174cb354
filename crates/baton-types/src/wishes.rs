//! What a caller wishes of one run, beside the words: how the agent is to answer this time, and with which further tools.

use crate::{AnswerForm, GuestServer, Json, Thousandths, ToolSpec};
use serde::{Deserialize, Serialize};

/// Wishes for the runs that a message starts; they hold until a message brings others, and the definition says the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wishes {
    /// Words that the model is given after the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Functions of the caller's; calls of them go back to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<CallerTool>,
    /// MCP servers of the caller's, whose tools the agent runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<GuestServer>,
    /// Which tools may or must be called.
    #[serde(skip_serializing_if = "WishedCalls::is_auto")]
    pub calls: WishedCalls,
    /// Whether a turn makes at most one call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_call_a_turn: bool,
    /// How many calls the agent itself may run; further ones are refused to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_calls: Option<u32>,
    /// The form of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerForm>,
    /// Tokens that one model call may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// How freely the model chooses its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// From how much of what is likely it chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// Texts before which an answer ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// How much it thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Whether a conversation that does not fit the model's window is an error, rather than made shorter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Whether text is journaled while it is written, so that a stream of it can be taken up anywhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keeps_text: bool,
    /// What the surface that brought the message wants to find again; nobody else reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Json>,
}

impl Wishes {
    /// Whether a call of this name is for the caller to run.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name) && self.calls.allow(name)
    }

    /// Tools of the caller's servers.
    pub fn guest_tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.servers.iter().flat_map(|server| &server.tools)
    }

    /// The tool of the caller's servers that has this name.
    pub fn guest_tool(&self, name: &str) -> Option<&ToolSpec> {
        self.guest_tools().find(|tool| tool.name == name)
    }
}

/// A function that the caller runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerTool {
    /// The name that the model uses.
    pub name: String,
    /// What it does, for the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
}

/// Which tools a caller wishes to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WishedCalls {
    /// As the model likes.
    #[default]
    Auto,
    /// None at all.
    None,
    /// At least one, in the first turn.
    Required,
    /// This one, in the first turn.
    Named(String),
    /// None but these.
    Only {
        /// Their names.
        names: Vec<String>,
        /// Whether one of them has to be called in the first turn.
        required: bool,
    },
}

impl WishedCalls {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }

    /// Whether a tool of this name may be called at all.
    pub fn allow(&self, name: &str) -> bool {
        match self {
            Self::Auto | Self::Required | Self::Named(_) => true,
            Self::None => false,
            Self::Only { names, .. } => names.iter().any(|allowed| allowed == name),
        }
    }
}
