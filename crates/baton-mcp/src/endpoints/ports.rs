//! MCP services of the surface.

use crate::{Environments, ExportedEndpoints, ManageServer, McpService, OwnServer};
use std::{fmt, sync::Arc};

/// Services that answer MCP requests.
#[derive(Clone)]
pub struct McpPorts {
    /// Environments of agents.
    pub environments: Arc<Environments>,
    /// Exported tools of agents.
    pub exported: Arc<ExportedEndpoints>,
    /// Baton's own MCP server, for all agents.
    pub own: McpService<OwnServer>,
    /// Agent management, if definitions are stored.
    pub manage: Option<McpService<ManageServer>>,
}

impl fmt::Debug for McpPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpPorts").finish_non_exhaustive()
    }
}
