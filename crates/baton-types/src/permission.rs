//! Tool permissions: which tools may run, which need approval, and which are offered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Permission of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Runs without approval.
    #[default]
    Allow,
    /// Runs after approval.
    Ask,
    /// Never runs and is not offered.
    Deny,
}

impl Permission {
    /// Whether no approval is needed.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_allow(&self) -> bool {
        *self == Self::Allow
    }
}

/// When approval is requested before a tool runs. Set by the agent; a caller can override it for a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Before every call.
    Always,
    /// Never; denied tools stay denied.
    Never,
    /// According to the permission of the tool.
    #[default]
    Tool,
}

/// When a tool or context item is offered to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InclusionMode {
    /// In every session.
    #[default]
    Always,
    /// When it is named explicitly.
    Manual,
    /// When it is relevant to the request.
    Agent,
}

/// Permission for some tools, or for some of their calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRule {
    /// Glob of MCP servers; unset matches every tool. Rules of a server apply to its own tools and have it unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Glob of tool names, as named by their server.
    pub tool: String,
    /// Arguments that a call must have; empty matches every call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentMatch>,
    /// Permission of the matching calls.
    pub permission: Permission,
}

impl PermissionRule {
    /// Rule for all calls of the tools that match a glob.
    pub fn for_tool(tool: impl Into<String>, permission: Permission) -> Self {
        Self { server: None, tool: tool.into(), arguments: Vec::new(), permission }
    }

    /// Whether the rule applies to calls with any arguments.
    pub fn matches_all_arguments(&self) -> bool {
        self.arguments.iter().all(ArgumentMatch::matches_all_arguments)
    }
}

/// Condition on one argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentMatch {
    /// JSON pointer of the argument, such as `/path`.
    pub path: String,
    /// Glob for the text of the argument; other values are compared as JSON text.
    pub glob: String,
}

impl ArgumentMatch {
    /// Condition that every call meets.
    pub(crate) fn all_arguments() -> Self {
        Self { path: String::new(), glob: "*".to_owned() }
    }

    /// Whether every call meets the condition.
    pub fn matches_all_arguments(&self) -> bool {
        self.path.is_empty() && self.glob == "*"
    }
}

/// Tool policy of an agent definition, in addition to the rules of each tool and server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPolicy {
    /// When approval is requested.
    #[serde(default)]
    pub ask: ApprovalMode,
    /// Rules for tools of every kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PermissionRule>,
}

impl ToolPolicy {
    /// Whether the policy is the default.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
