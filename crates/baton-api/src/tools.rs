//! Tools of an agent and the MCP servers that provide them.

use baton_types::{
    AnswerAction, Effects, Json, Permission, QuestionKind, ToolAccess, ToolAnswer, ToolQuestion, ToolRunner, ToolSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tools of an agent and the state of its MCP servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolList {
    /// Callable tools, sorted by name.
    pub tools: Vec<ToolEntry>,
    /// MCP servers of the agent, in the order of the definition.
    pub servers: Vec<ServerEntry>,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolEntry {
    /// Name as the model uses it.
    pub name: String,
    /// Description of the tool.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Json,
    /// JSON Schema of structured results, if declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Side effects of the tool.
    pub effects: Effects,
    /// Whether the tool runs at once, needs an approval, or is denied.
    pub permission: Permission,
    /// Origin: `command`, `http`, `native`, `caller`, `server:NAME`, `caller's server:NAME` or `baton`.
    pub source: String,
}

impl ToolEntry {
    /// The entry of a tool.
    pub fn from_spec(tool: &ToolSpec) -> Self {
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
                ToolRunner::Guest(caller_server) => format!("caller's server:{}", caller_server.server),
                ToolRunner::BuiltIn => "baton".to_owned(),
            },
        }
    }
}

/// One MCP server of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerEntry {
    /// Name in the agent's definition.
    pub name: String,
    /// `stdio`, `http`, `sse` or `internal`.
    pub transport: String,
    /// `disabled`, `idle`, `starting`, `ready`, `failed` or `needs_login`.
    pub state: String,
    /// Negotiated protocol version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Number of tools.
    pub tools: usize,
    /// Reason that it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Suggested fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Last lines of its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

/// Result of a tool call: either `output` or `questions` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolReply {
    /// Output of the tool; plain text is a JSON string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Whether the tool failed; `output` then describes the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Questions to answer before the call can continue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionEntry>,
    /// Opaque state to send back with the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// One question of a tool; exactly one of `schema`, `url` and `approval` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionEntry {
    /// Key of the answer.
    pub key: String,
    /// Text of the question.
    pub message: String,
    /// JSON Schema of the answer's content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// URL to visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the question asks for approval of the call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub approval: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl From<ToolQuestion> for QuestionEntry {
    fn from(question: ToolQuestion) -> Self {
        let ToolQuestion { key, message, wants } = question;
        let entry = Self { key, message, ..Self::default() };
        match wants {
            QuestionKind::Form { schema } => Self { schema: Some(schema), ..entry },
            QuestionKind::Visit { url } => Self { url: Some(url), ..entry },
            QuestionKind::Approval => Self { approval: true, ..entry },
        }
    }
}

/// Continues a tool call with answers. An approval may be sent before it is requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerTool {
    /// Arguments of the call, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// One answer per question.
    pub answers: Vec<AnswerEntry>,
    /// State that came with the questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerEntry {
    /// Key of the question.
    pub key: String,
    /// `accept`, `decline` or `cancel`.
    pub action: AnswerAction,
    /// Content of a form, an object that matches its schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
}

impl From<AnswerEntry> for ToolAnswer {
    fn from(answer: AnswerEntry) -> Self {
        let AnswerEntry { key, action, content } = answer;
        Self { key, action, content }
    }
}

/// Changes to the permission of a tool or server; absent members stay unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPermission {
    /// `allow`, `ask` or `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// Configured permission of a tool, or the default permission of a server's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionState {
    /// `allow`, `ask` or `deny`.
    pub permission: Permission,
    /// Whether it is disabled.
    pub disabled: bool,
}

impl From<ToolAccess> for PermissionState {
    fn from(access: ToolAccess) -> Self {
        let ToolAccess { permission, disabled } = access;
        Self { permission, disabled }
    }
}

/// Result of a permission change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionReply {
    /// Agent of the tool or server.
    pub agent: String,
    /// Tool name as the model uses it; absent if the change applies to a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// MCP server, or the MCP server of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Permission after the change.
    pub permission: PermissionState,
    /// Permission before the change.
    pub previous: PermissionState,
    /// Path of the file that holds the setting, as the server's user would write it.
    pub file: String,
    /// Whether the file was modified.
    pub changed: bool,
    /// Effective behavior, if other rules of the agent override the permission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
