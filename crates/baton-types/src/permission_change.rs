//! Permission changes that are written to the definition of a tool or server.

use crate::{McpTool, Permission};
use std::fmt;

/// Target of a permission change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionTarget {
    /// A tool defined by the agent, by name.
    Own(String),
    /// A tool of an MCP server.
    Tool(McpTool),
    /// All tools of an MCP server without a more specific setting, by server name.
    Server(String),
}

impl fmt::Display for PermissionTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(tool) => write!(f, "the tool '{tool}'"),
            Self::Tool(McpTool { server, tool }) => write!(f, "the tool '{tool}' of the server '{server}'"),
            Self::Server(server) => write!(f, "the server '{server}'"),
        }
    }
}

/// Permission change; unset fields keep their value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionChange {
    /// Target.
    pub target: PermissionTarget,
    /// New permission.
    pub permission: Option<Permission>,
    /// Whether the target is disabled.
    pub disabled: Option<bool>,
}

/// Effective settings of a tool or server in a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolAccess {
    /// Permission; for a server, the default for tools without a more specific setting.
    pub permission: Permission,
    /// Whether the target is disabled.
    pub disabled: bool,
}
