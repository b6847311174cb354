//! What people say about tools: which may run, which are asked about, and which are there at all.

use serde::{Deserialize, Serialize};

/// Whether a tool may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Without asking anybody.
    #[default]
    Allow,
    /// When somebody says so.
    Ask,
    /// Never; it is not offered either.
    Deny,
}

impl Permission {
    /// Whether nobody has to be asked.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_allow(&self) -> bool {
        *self == Self::Allow
    }
}

/// When somebody is asked before a tool runs; a setting of the agent that whoever talks to it may change for a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskWhen {
    /// Before every call.
    Always,
    /// Not at all; what is denied stays so.
    Never,
    /// As the tool's own permission says.
    #[default]
    Tool,
}

/// When a tool is part of what an agent works with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Include {
    /// In every session.
    #[default]
    Always,
    /// When somebody names it.
    Manual,
    /// When it has to do with what is asked.
    Agent,
}

/// A word about tools, or about some of their calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRule {
    /// A glob of MCP servers; every tool when not given. Rules of a server are about its own tools and have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// A glob of tools, by the name that their server knows.
    pub tool: String,
    /// Only calls with all these arguments; every call when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentMatch>,
    /// What holds for them.
    pub permission: Permission,
}

impl PermissionRule {
    /// About all calls of the tools that a glob names.
    pub fn of_tool(tool: impl Into<String>, permission: Permission) -> Self {
        Self { server: None, tool: tool.into(), arguments: Vec::new(), permission }
    }
}

/// One argument as a rule wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentMatch {
    /// Where it is: a JSON pointer such as `/path`.
    pub path: String,
    /// A glob that its text fits; numbers and other values are compared as JSON text.
    pub glob: String,
}

/// What an agent's definition says about tools, beside the words of each tool and server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPolicy {
    /// When somebody is asked.
    #[serde(default)]
    pub ask: AskWhen,
    /// About tools of every kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PermissionRule>,
}

impl ToolPolicy {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
