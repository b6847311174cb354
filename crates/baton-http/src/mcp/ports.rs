//! Who answers MCP requests.

use baton_mcp::{Environments, ExportedEndpoints, ManageServer, McpService, OwnServer};
use std::{fmt, sync::Arc};

/// Who answers MCP requests.
#[derive(Clone)]
pub struct McpPorts {
    /// The Environments of agents.
    pub environments: Arc<Environments>,
    /// The tools that agents export.
    pub exported: Arc<ExportedEndpoints>,
    /// The way to all agents.
    pub own: McpService<OwnServer>,
    /// Managing agents, where definitions are kept.
    pub manage: Option<McpService<ManageServer>>,
}

impl fmt::Debug for McpPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpPorts").finish_non_exhaustive()
    }
}
