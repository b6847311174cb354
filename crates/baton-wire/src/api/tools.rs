//! An agent's tools and the servers that they come from.

use baton_types::{
    AnswerAction, Effects, Json, Permission, ToolAnswer, ToolQuestion, ToolRunner, ToolSpec, ToolStanding, Wanted,
};
use serde::{Deserialize, Serialize};

/// What an agent can do, and where its MCP servers stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolList {
    /// Tools that can be called, sorted by name.
    pub tools: Vec<ToolEntry>,
    /// The agent's MCP servers, in the order written.
    pub servers: Vec<ServerEntry>,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolEntry {
    /// The name that a model uses.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
    /// JSON Schema of its structured results, when it promises one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// What running it does to the world.
    pub effects: Effects,
    /// Whether somebody is asked before it runs.
    pub permission: Permission,
    /// Where it comes from: `command`, `http`, `native`, `server:NAME` or `baton`.
    pub source: String,
}

impl ToolEntry {
    /// The entry of a tool.
    pub fn of(tool: &ToolSpec) -> Self {
        Self {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
            output: tool.output.clone(),
            effects: tool.effects,
            permission: tool.permission,
            source: match &tool.runner {
                ToolRunner::Command(_) => "command".to_owned(),
                ToolRunner::Http(_) => "http".to_owned(),
                ToolRunner::Native => "native".to_owned(),
                ToolRunner::Caller => "caller".to_owned(),
                ToolRunner::Mcp(mcp) => format!("server:{}", mcp.server),
                ToolRunner::Guest(guest) => format!("caller's server:{}", guest.server),
                ToolRunner::BuiltIn => "baton".to_owned(),
            },
        }
    }
}

/// One MCP server of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// Its name in the agent's definition.
    pub name: String,
    /// `stdio`, `http`, `sse` or `internal`.
    pub transport: String,
    /// `disabled`, `idle`, `starting`, `ready`, `failed` or `needs_login`.
    pub state: String,
    /// The protocol version that is spoken, once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// How many tools it has.
    pub tools: usize,
    /// Why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The last lines it wrote to its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

/// What came of a call: either `output` is there, or `asks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolReply {
    /// What the tool gave; plain text is a JSON string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Whether the tool failed; the output then says how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// What must be answered before the call goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<AskEntry>,
    /// Comes back with the answers, as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// One question of a tool; exactly one of `schema`, `url` and `approval` is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskEntry {
    /// Names it in the answers.
    pub key: String,
    /// What is asked, for people.
    pub message: String,
    /// JSON Schema of the form that the answer's content fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// An address that somebody should visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the question is if the call may run at all.
    #[serde(default, skip_serializing_if = "is_false")]
    pub approval: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl From<ToolQuestion> for AskEntry {
    fn from(question: ToolQuestion) -> Self {
        let ToolQuestion { key, message, wants } = question;
        let entry = Self { key, message, ..Self::default() };
        match wants {
            Wanted::Form { schema } => Self { schema: Some(schema), ..entry },
            Wanted::Visit { url } => Self { url: Some(url), ..entry },
            Wanted::Approval => Self { approval: true, ..entry },
        }
    }
}

/// A call that goes on with answers; approval can be given before it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerTool {
    /// The arguments of the call, the same as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// One for each question.
    pub answers: Vec<AnswerEntry>,
    /// As it came with the questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerEntry {
    /// The question.
    pub key: String,
    /// `accept`, `decline` or `cancel`.
    pub action: AnswerAction,
    /// An object that fits the form, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
}

impl From<AnswerEntry> for ToolAnswer {
    fn from(answer: AnswerEntry) -> Self {
        let AnswerEntry { key, action, content } = answer;
        Self { key, action, content }
    }
}

/// What is to hold for a tool or a server from now on; what is not given stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetPermission {
    /// `allow`, `ask` or `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether it is switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// What an agent's definition says about a tool, or about those tools of a server of which nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionState {
    /// `allow`, `ask` or `deny`.
    pub permission: Permission,
    /// Whether it is switched off.
    pub disabled: bool,
}

impl From<ToolStanding> for PermissionState {
    fn from(standing: ToolStanding) -> Self {
        let ToolStanding { permission, disabled } = standing;
        Self { permission, disabled }
    }
}

/// What was written about a tool or a server, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionReply {
    /// Whose.
    pub agent: String,
    /// The tool, by the name that a model uses; nothing when it is about a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The MCP server, when it is about one or about a tool of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// What holds now.
    pub now: PermissionState,
    /// What held before.
    pub before: PermissionState,
    /// The file that says so, as whoever started the server knows it.
    pub file: String,
    /// Whether the file had to be written.
    pub written: bool,
    /// What rules of the agent make of the word, when they make something else of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}
