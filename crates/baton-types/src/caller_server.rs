//! MCP servers that a caller supplies with its request.

use crate::ToolSpec;
use serde::{Deserialize, Serialize};

/// An MCP server of the caller with its allowed tools; part of the run options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerServerSpec {
    /// Label chosen by the caller.
    pub label: String,
    /// Tools under the names for the model; each has a [`CallerServerTool`] as its runner.
    pub tools: Vec<ToolSpec>,
}

/// A tool of a caller's server, by its name on the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerServerTool {
    /// Key of the server in the tool host, which holds its connection settings. These must not be journaled: headers
    /// and many addresses are secrets.
    pub guest: String,
    /// Label chosen by the caller.
    pub server: String,
    /// Name of the tool on the server.
    pub tool: String,
}
