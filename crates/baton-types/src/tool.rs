//! Tool definitions, calls and results.

use crate::{CallId, CallerServerTool, InclusionMode, Json, Permission, PermissionRule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Names of built-in tools; reserved.
pub const BUILT_IN_TOOLS: [&str; 8] = [
    "handoff",
    "emit_artifact",
    "ask_user",
    "reject_task",
    "reply_message",
    "list_agents",
    "call_agent",
    "read_output",
];

/// Side effects of a tool. They decide whether a call that was interrupted by a crash may be retried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// No side effects; may be retried.
    ReadOnly,
    /// Repeated calls have the same effect as one; may be retried.
    Idempotent,
    /// Changes the calling agent: its definition or the items of its session. Never retried automatically, and never
    /// allowed for an autonomous agent.
    OwnAgent,
    /// Undeclared; never retried automatically.
    #[default]
    Unknown,
}

impl Effects {
    /// Whether a call with a lost result may be retried.
    pub fn may_repeat(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Idempotent)
    }
}

/// Side that runs the tools called by a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolExecution {
    /// The agent runs its tools.
    #[default]
    Agent,
    /// Calls are returned to the caller as `input-required` data parts.
    Caller,
}

/// A tool as offered to a model, with its runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name for the model.
    pub name: String,
    /// Description for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
    /// Side effects.
    pub effects: Effects,
    /// Runner.
    pub runner: ToolRunner,
    /// JSON Schema of its structured results, if declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Whether it needs approval.
    #[serde(default, skip_serializing_if = "Permission::is_allow")]
    pub permission: Permission,
    /// Permission rules for some of its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PermissionRule>,
    /// When it is part of a session.
    #[serde(default)]
    pub include: InclusionMode,
    /// Whether it runs alone, without other calls of the same turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequential: bool,
}

impl ToolSpec {
    /// MCP server of the tool, and the name of the tool on it.
    pub fn mcp_server_and_tool(&self) -> Option<(&str, &str)> {
        match &self.runner {
            ToolRunner::Mcp(McpTool { server, tool }) | ToolRunner::Guest(CallerServerTool { server, tool, .. }) => {
                Some((server, tool))
            }
            _ => None,
        }
    }
}

/// Runner of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolRunner {
    /// A program started for each call.
    Command(CommandTool),
    /// A request to an HTTP service.
    Http(HttpTool),
    /// A tool of an MCP server.
    Mcp(McpTool),
    /// A tool of an MCP server supplied by the caller.
    Guest(CallerServerTool),
    /// A function of the program that embeds Baton.
    Native,
    /// Run by the caller: calls are returned to it.
    Caller,
    /// Built into Baton (`handoff` and the control tools); dispatched by name.
    BuiltIn,
}

/// A program with fixed arguments; no shell is involved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandTool {
    /// Program and arguments; `${name}` inside an argument is replaced by that call argument.
    pub argv: Vec<String>,
    /// Absolute working directory.
    pub directory: String,
    /// Timeout, after which the program is killed.
    pub timeout: Duration,
    /// Maximum output in bytes; longer output is truncated and marked.
    pub max_output: usize,
}

/// An HTTP request built from the arguments of a call; only sent to the host in the definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpTool {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// URL template; `{name}` in its path or query is replaced by that call argument, percent-encoded.
    pub url: String,
    /// Header names and values; a value may contain `env://NAME`, which is read at call time.
    pub headers: Vec<(String, String)>,
    /// Encoding of the remaining arguments.
    pub body: HttpBody,
    /// Request timeout.
    pub timeout: Duration,
    /// Maximum output in bytes; longer output is truncated and marked.
    pub max_output: usize,
}

/// Request body of an HTTP tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpBody {
    /// No body; arguments not used in the URL become query parameters.
    #[default]
    None,
    /// Arguments not used in the URL, as a JSON object.
    Json,
    /// Arguments not used in the URL, as a form.
    Form,
}

/// A tool of an MCP server, by its name on the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpTool {
    /// Key of the server in the agent definition.
    pub server: String,
    /// Name of the tool on the server.
    pub tool: String,
}

/// A tool call requested by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the task.
    pub id: CallId,
    /// Tool name.
    pub name: String,
    /// Arguments as a JSON object.
    pub arguments: Json,
}

/// Result of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Call id.
    pub call: CallId,
    /// Tool name.
    pub name: String,
    /// Any JSON value; plain text is a JSON string.
    pub output: Json,
    /// Whether the tool failed; the model sees the output in any case.
    #[serde(default)]
    pub is_error: bool,
}
