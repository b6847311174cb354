//! MCP servers that a caller brings along for its own request.

use crate::ToolSpec;
use serde::{Deserialize, Serialize};

/// A server of the caller's with the tools that it may be called for; part of the wishes of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestServer {
    /// What the caller calls it.
    pub label: String,
    /// Its tools under the names that models use; each has a [`GuestTool`] as its runner.
    pub tools: Vec<ToolSpec>,
}

/// A tool of a caller's server, by the names that the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestTool {
    /// What the tool host knows the server by. It keeps what the server is reached with, which no journal may
    /// have: headers are secrets, and so are many addresses.
    pub guest: String,
    /// What the caller calls the server.
    pub server: String,
    /// The tool's own name there.
    pub tool: String,
}
