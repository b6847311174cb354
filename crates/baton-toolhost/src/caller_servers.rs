//! Caller servers: MCP servers that callers supply with their requests.
//!
//! Each is managed as the only server of an agent of its own, so connections, limits and statuses work as for every
//! other server. The connection data comes from a request: it is kept in memory only, belongs to the caller that sent
//! it, and is used literally. Environment variables of this machine are never substituted into it.

mod table;

use crate::{ConnectorRegistry, HostSettings, McpServers, OfferedTool, ServerConnector, TransportKind};
use baton_ports::{BoxFuture, CallerServer, CallerServerConnector, CallerServerError, ServerState};
use baton_types::{
    AgentName, CallerServerTool, McpEra, McpPermissions, McpServer, McpTimeouts, McpTransport, Principal, ToolRunner,
    ToolSpec,
};
use std::{sync::Arc, time::Duration};
use table::CallerServerTable;

/// Maximum wait for a server before the request is rejected.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(10);

/// The caller servers; clones of the inner [`McpServers`] share the connections.
pub struct CallerServerHost {
    table: Arc<CallerServerTable>,
    servers: McpServers,
}

impl CallerServerHost {
    /// Uses this connector, which must check every address. Must be called within a tokio runtime.
    pub fn new(connect: Arc<dyn ServerConnector>, settings: HostSettings) -> Self {
        let table = Arc::new(CallerServerTable::default());
        let connectors = ConnectorRegistry::new().with(TransportKind::Remote, connect);
        let settings = HostSettings { expand_variables: false, ..settings };
        let servers = McpServers::new(table.clone(), connectors, settings);
        Self { table, servers }
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
        self.table.touch(principal, &name).then_some(name)
    }

    async fn connect_and_list(
        &self,
        principal: &Principal,
        caller_server: CallerServer,
    ) -> Result<Vec<ToolSpec>, CallerServerError> {
        let name = self.table.register(principal, server(&caller_server)).map_err(CallerServerError::TooMany)?;
        let offered = self.servers.tools_by_agent_name(&name, &|_| false, STARTUP_TIMEOUT).await;
        let status = self.servers.statuses(&name).into_iter().next();
        let ready = status.as_ref().is_some_and(|status| status.state == ServerState::Ready);
        if !ready {
            self.table.remove(&name);
            let reason = status.and_then(|status| status.reason);
            return Err(CallerServerError::Unreachable(
                reason.unwrap_or_else(|| format!("it was not ready within {STARTUP_TIMEOUT:?}")),
            ));
        }
        Ok(offered.into_iter().map(|offered| caller_server_tool(offered, &name)).collect())
    }
}

impl CallerServerConnector for CallerServerHost {
    fn connect_server<'a>(
        &'a self,
        principal: &'a Principal,
        caller_server: CallerServer,
    ) -> BoxFuture<'a, Result<Vec<ToolSpec>, CallerServerError>> {
        Box::pin(self.connect_and_list(principal, caller_server))
    }
}

fn caller_server_tool(offered: OfferedTool, name: &AgentName) -> ToolSpec {
    let (server, tool) = (offered.server, offered.definition.name.to_string());
    let runner = ToolRunner::Guest(CallerServerTool { guest: name.to_string(), server, tool });
    ToolSpec { runner, ..offered.spec }
}

fn server(caller_server: &CallerServer) -> McpServer {
    McpServer {
        name: caller_server.label.clone(),
        file: "the request".to_owned(),
        transport: McpTransport::Remote { url: caller_server.url.clone(), headers: caller_server.headers.clone() },
        enabled: true,
        era: McpEra::Auto,
        timeouts: McpTimeouts { startup: STARTUP_TIMEOUT, ..McpTimeouts::default() },
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
