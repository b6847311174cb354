//! Options of the tools.

use baton_toolhost::NativeTools;

/// Tools of all agents.
#[derive(Default)]
pub struct ToolOptions {
    /// Functions of the program.
    pub functions: Option<NativeTools>,
    /// Command line of a helper that ends MCP servers after the process was killed.
    pub reaper: Option<Vec<String>>,
    /// Private addresses allowed for MCP servers of requests; `None` disables such servers.
    pub caller_servers: Option<Vec<String>>,
}
