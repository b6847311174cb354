//! Caller servers: MCP servers that callers supply with their requests.
//!
//! Each is managed as the only server of an agent of its own, so connections, limits and statuses work as for every
//! other server. The connection data comes from a request: it is kept in memory only, belongs to the caller that sent
//! it, and is used literally. Environment variables of this machine are never substituted into it.

mod lodgings;

use crate::{Connect, Connectors, HostSettings, McpServers, OfferedTool, TransportKind};
use baton_ports::{BoxFuture, CallerServer, CallerServerConnector, CallerServerError, ServerState};
use baton_types::{
    AgentName, CallerServerTool, McpEra, McpPermissions, McpServer, McpTimeouts, McpTransport, Principal, ToolRunner,
    ToolSpec,
};
use lodgings::Lodgings;
use std::{sync::Arc, time::Duration};

/// Maximum wait for a server before the request is rejected.
const STARTUP: Duration = Duration::from_secs(10);

/// The caller servers; clones of the inner [`McpServers`] share the connections.
pub struct GuestServers {
    lodgings: Arc<Lodgings>,
    servers: McpServers,
}

impl GuestServers {
    /// Uses this connector, which must check every address. Must be called within a tokio runtime.
    pub fn new(connect: Arc<dyn Connect>, settings: HostSettings) -> Self {
        let lodgings = Arc::new(Lodgings::default());
        let connectors = Connectors::new().with(TransportKind::Remote, connect);
        let settings = HostSettings { expands: false, ..settings };
        let servers = McpServers::new(lodgings.clone(), connectors, settings);
        Self { lodgings, servers }
    }

    /// The MCP servers, each owned by an agent named by [`CallerServerTool::guest`].
    pub(crate) fn servers(&self) -> &McpServers {
        &self.servers
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.servers.close().await;
    }

    /// The server of a tool, if it belongs to this caller and is still registered.
    pub(crate) fn find(&self, principal: &Principal, tool: &CallerServerTool) -> Option<AgentName> {
        let name: AgentName = tool.guest.as_str().into();
        self.lodgings.touch(principal, &name).then_some(name)
    }

    async fn listed(&self, principal: &Principal, guest: CallerServer) -> Result<Vec<ToolSpec>, CallerServerError> {
        let name = self.lodgings.take(principal, server(&guest)).map_err(CallerServerError::TooMany)?;
        let offered = self.servers.tools_beside(&name, &|_| false, STARTUP).await;
        let status = self.servers.statuses(&name).into_iter().next();
        let ready = status.as_ref().is_some_and(|status| status.state == ServerState::Ready);
        if !ready {
            self.lodgings.leave(&name);
            let reason = status.and_then(|status| status.reason);
            return Err(CallerServerError::Unreachable(
                reason.unwrap_or_else(|| format!("it was not ready within {STARTUP:?}")),
            ));
        }
        Ok(offered.into_iter().map(|offered| guest_tool(offered, &name)).collect())
    }
}

impl CallerServerConnector for GuestServers {
    fn connect_server<'a>(
        &'a self,
        principal: &'a Principal,
        guest: CallerServer,
    ) -> BoxFuture<'a, Result<Vec<ToolSpec>, CallerServerError>> {
        Box::pin(self.listed(principal, guest))
    }
}

fn guest_tool(offered: OfferedTool, guest: &AgentName) -> ToolSpec {
    let (server, tool) = (offered.server, offered.definition.name.to_string());
    let runner = ToolRunner::Guest(CallerServerTool { guest: guest.to_string(), server, tool });
    ToolSpec { runner, ..offered.spec }
}

fn server(guest: &CallerServer) -> McpServer {
    McpServer {
        name: guest.label.clone(),
        file: "the request".to_owned(),
        transport: McpTransport::Remote { url: guest.url.clone(), headers: guest.headers.clone() },
        enabled: true,
        era: McpEra::Auto,
        timeouts: McpTimeouts { startup: STARTUP, ..McpTimeouts::default() },
        permissions: McpPermissions::default(),
        include: Vec::new(),
        exclude: Vec::new(),
        modes: Default::default(),
        prefix: None,
        required: true,
        trusted: false,
        oauth: None,
    }
}
