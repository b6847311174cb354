//! Tools: what a model may call and what came back.

use crate::{CallId, GuestTool, Include, Json, Permission, PermissionRule};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Tools that Baton itself runs; nothing else may have these names.
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

/// What running a tool does to the world; decides whether a call cut off by a crash may run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// Looks only; may run again.
    ReadOnly,
    /// Changes something, but twice is the same as once; may run again.
    Idempotent,
    /// Changes the agent that calls it: its definition, or what is part of its session. Never runs again by itself, and
    /// never for an agent that works alone.
    OwnAgent,
    /// Nobody said; never runs again by itself.
    #[default]
    Unknown,
}

impl Effects {
    /// Whether a call whose result was lost may simply be repeated.
    pub fn may_repeat(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Idempotent)
    }
}

/// Who runs the tools that a model asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolExecution {
    /// The agent runs its own tools.
    #[default]
    Agent,
    /// Calls go back to the caller as `input-required` data parts.
    Caller,
}

/// A tool as offered to a model, with the way to run it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name the model uses.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
    /// What running it does to the world.
    pub effects: Effects,
    /// How it runs.
    pub runner: ToolRunner,
    /// JSON Schema of its structured results, when it promises one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Whether it may run without somebody being asked.
    #[serde(default, skip_serializing_if = "Permission::is_allow")]
    pub permission: Permission,
    /// About some of its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PermissionRule>,
    /// When it is part of a session.
    #[serde(default)]
    pub include: Include,
    /// Whether no other call of the same turn runs beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequential: bool,
}

impl ToolSpec {
    /// The MCP server that has it, and its own name there.
    pub fn at_server(&self) -> Option<(&str, &str)> {
        match &self.runner {
            ToolRunner::Mcp(McpTool { server, tool }) | ToolRunner::Guest(GuestTool { server, tool, .. }) => {
                Some((server, tool))
            }
            _ => None,
        }
    }
}

/// The way a tool runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolRunner {
    /// A program started for each call.
    Command(CommandTool),
    /// A request to an HTTP service.
    Http(HttpTool),
    /// A tool of an MCP server.
    Mcp(McpTool),
    /// A tool of an MCP server that the caller brought.
    Guest(GuestTool),
    /// A function of the program that Baton is part of.
    Native,
    /// Whoever asked the agent runs it: a call of it goes back to them.
    Caller,
    /// Part of Baton itself (`handoff` and the control tools); the engine knows it by name.
    BuiltIn,
}

/// A program with fixed arguments; no shell is involved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandTool {
    /// Program and arguments; `${name}` inside one argument is replaced by that call argument.
    pub argv: Vec<String>,
    /// Absolute working directory.
    pub directory: String,
    /// Killed after this long.
    pub timeout: Duration,
    /// Output beyond this many bytes is cut, and says so.
    pub max_output: usize,
}

/// An HTTP request made from a call's arguments; only to the host that the definition names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpTool {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The address; `{name}` in its path or query is replaced by that call argument, percent-encoded.
    pub url: String,
    /// Header names and values; a value may hold `env://NAME`, read when the call is made.
    pub headers: Vec<(String, String)>,
    /// Which arguments go where.
    pub body: HttpBody,
    /// Given up after this long.
    pub timeout: Duration,
    /// Output beyond this many bytes is cut, and says so.
    pub max_output: usize,
}

/// What an HTTP tool sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpBody {
    /// Nothing; arguments that the address does not use become query parameters.
    #[default]
    None,
    /// Arguments that the address does not use, as a JSON object.
    Json,
    /// Arguments that the address does not use, as a form.
    Form,
}

/// A tool of an MCP server, by the names that the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpTool {
    /// The server's key in the agent's definition.
    pub server: String,
    /// The tool's own name there.
    pub tool: String,
}

/// One call that a model asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the task.
    pub id: CallId,
    /// Which tool.
    pub name: String,
    /// A JSON object.
    pub arguments: Json,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call it answers.
    pub call: CallId,
    /// Which tool.
    pub name: String,
    /// Any JSON value; plain text is a JSON string.
    pub output: Json,
    /// Whether the tool failed; the model sees the output all the same.
    #[serde(default)]
    pub is_error: bool,
}
