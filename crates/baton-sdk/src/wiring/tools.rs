//! The tools of all agents: functions of the program, and tools of MCP servers.

use crate::Error;
use baton_orchestrator::PeerConnect;
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_peers::LocalPeerRegistry;
use baton_ports::{AgentSource, SessionStore, TextSearch, ToolHost};
use baton_telemetry::Tracer;
use baton_toolhost::{
    ConnectorRegistry, HostSettings, HttpTools, InternalConnector, InternalPorts, McpServers, NativeTools,
    RemoteConnector, RemoteSettings, StdioConnector, Toolbox, TransportKind,
};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Directory for MCP server logins, below the data directory.
const LOGINS: &str = "mcp-oauth";

/// The tool host, and the connector of Baton's internal MCP servers.
pub(super) struct SdkTools {
    pub(super) toolbox: Arc<Toolbox>,
    internal: Arc<InternalConnector>,
}

impl SdkTools {
    /// Gives the internal MCP servers weak references to tools, sessions and search.
    pub(super) fn attach<E: SessionStore + TextSearch>(&self, engine: &Arc<E>) {
        let tools: Arc<dyn ToolHost> = self.toolbox.clone();
        let sessions: Arc<dyn SessionStore> = engine.clone();
        let search: Arc<dyn TextSearch> = engine.clone();
        self.internal.attach(InternalPorts {
            tools: Arc::downgrade(&tools),
            sessions: Arc::downgrade(&sessions),
            search: Arc::downgrade(&search),
        });
    }
}

/// Builds the tool host for these agents; no server is started yet.
pub(super) fn toolbox(
    agents: Arc<dyn AgentSource>,
    book: Arc<LocalPeerRegistry>,
    native: NativeTools,
    data: Option<&Path>,
    tracer: Tracer,
) -> Result<SdkTools, Error> {
    let client = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default())
        .map_err(|error| Error::new(ErrorCode::INTERNAL, error.to_string()))?;
    let http = HttpTools::new(client.clone()).with_agents(Arc::clone(&agents)).with_tracer(tracer.clone());
    let logins = data.map(|data| data.join(LOGINS));
    let remote = Arc::new(RemoteConnector::new(RemoteSettings { logins, ..RemoteSettings::new(client) }));
    let internal = Arc::new(InternalConnector::new(Arc::clone(&agents)));
    let connectors = ConnectorRegistry::new()
        .with(TransportKind::Stdio, Arc::new(StdioConnector::new()))
        .with(TransportKind::Http, Arc::new(PeerConnect::new(book, remote.clone())))
        .with(TransportKind::Sse, remote.clone())
        .with(TransportKind::Remote, remote)
        .with(TransportKind::Internal, internal.clone());
    let servers = McpServers::new(agents, connectors, HostSettings { tracer, ..HostSettings::default() });
    let toolbox = Toolbox::new(servers).with_http(Arc::new(http)).with_native(Arc::new(native));
    Ok(SdkTools { toolbox: Arc::new(toolbox), internal })
}
