//! A word about a tool or a server, to be written into the definition that it comes from.

use crate::{McpTool, Permission};
use std::fmt;

/// What a word is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolScope {
    /// A tool that the agent itself defines, by its name.
    Own(String),
    /// A tool of an MCP server.
    Tool(McpTool),
    /// All tools of an MCP server of which nothing else is said, by the server's name.
    Server(String),
}

impl fmt::Display for ToolScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(tool) => write!(f, "the tool '{tool}'"),
            Self::Tool(McpTool { server, tool }) => write!(f, "the tool '{tool}' of the server '{server}'"),
            Self::Server(server) => write!(f, "the server '{server}'"),
        }
    }
}

/// What is to hold from now on; what is not given stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionChange {
    /// What it is about.
    pub scope: ToolScope,
    /// Whether it may run.
    pub permission: Option<Permission>,
    /// Whether it is switched off.
    pub disabled: Option<bool>,
}

/// What a definition says about a tool or a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolStanding {
    /// Whether it may run; of a server, whether those of its tools may of which nothing else is said.
    pub permission: Permission,
    /// Whether it is switched off.
    pub disabled: bool,
}
