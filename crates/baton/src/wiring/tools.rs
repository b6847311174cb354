//! Tools of agents: programs, HTTP services and MCP servers.

use crate::{commands::reap, config::BatonSettings, failure::CliError};
use baton_orchestrator::PeerConnect;
use baton_outbound::{AddressPolicy, GuardedClient};
use baton_peers::LocalPeerRegistry;
use baton_ports::{AgentRepository, AgentSource, SessionStore, TextSearch, ToolHost};
use baton_telemetry::Tracer;
use baton_toolhost::{
    CallerServerHost, ConnectorRegistry, HostSettings, HttpTools, InternalConnector, InternalPorts, McpServers,
    RemoteConnector, RemoteSettings, StdioConnector, Toolbox, TransportKind,
};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Folder of logins at MCP servers, below the data directory.
const LOGIN_FOLDER: &str = "mcp-oauth";

/// The toolbox, and the connector of internal MCP servers.
pub(super) struct ToolboxParts {
    pub(super) toolbox: Arc<Toolbox>,
    internal: Arc<InternalConnector>,
}

impl ToolboxParts {
    /// Gives internal MCP servers weak references to tools and sessions.
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

/// The tools of these agents and definitions; nothing is started yet.
pub(super) fn toolbox(
    agents: Arc<dyn AgentSource>,
    repository: Arc<dyn AgentRepository>,
    book: Arc<LocalPeerRegistry>,
    settings: &BatonSettings,
    tracer: Tracer,
) -> Result<ToolboxParts, CliError> {
    let caller_server_host =
        settings.caller_server_allow.as_deref().map(|allow| caller_servers(allow, &tracer)).transpose()?;
    let remote = remote(&settings.data)?;
    let http = HttpTools::new(remote.client.clone()).with_agents(Arc::clone(&agents)).with_tracer(tracer.clone());
    let remote = Arc::new(RemoteConnector::new(remote));
    let stdio = match reap::command() {
        Some(command) => StdioConnector::with_reaper(command),
        None => StdioConnector::new(),
    };
    let internal = Arc::new(InternalConnector::with_repository(Arc::clone(&agents), repository));
    let connectors = ConnectorRegistry::new()
        .with(TransportKind::Stdio, Arc::new(stdio))
        .with(TransportKind::Http, Arc::new(PeerConnect::new(book, remote.clone())))
        .with(TransportKind::Sse, remote.clone())
        .with(TransportKind::Remote, remote)
        .with(TransportKind::Internal, internal.clone());
    let servers = McpServers::new(agents, connectors, HostSettings { tracer, ..HostSettings::default() });
    let toolbox = Toolbox::new(servers).with_http(Arc::new(http));
    let toolbox = match caller_server_host {
        Some(caller_server_host) => toolbox.with_caller_servers(Arc::new(caller_server_host)),
        None => toolbox,
    };
    Ok(ToolboxParts { toolbox: Arc::new(toolbox), internal })
}

/// Connections to MCP servers that requests bring along: public addresses, and those allowed by the settings.
fn caller_servers(allow: &[String], tracer: &Tracer) -> Result<CallerServerHost, CliError> {
    let policy = AddressPolicy::allowing(allow)
        .map_err(|error| CliError::new(ErrorCode::CONFIG_INVALID, format!("responses.mcp_allow: {error}")))?;
    let client = GuardedClient::new(policy, &baton_outbound::OutboundOptions::default());
    let client = client.map_err(|error| CliError::new(ErrorCode::INTERNAL, error.to_string()))?;
    let connect = Arc::new(RemoteConnector::for_untrusted(RemoteSettings::new(client)));
    Ok(CallerServerHost::new(connect, HostSettings { tracer: tracer.clone(), ..HostSettings::default() }))
}

/// Connections to MCP servers on the network: any address for servers in definitions, otherwise public addresses only.
pub(super) fn remote(data: &Path) -> Result<RemoteSettings, CliError> {
    let client = GuardedClient::new(AddressPolicy::public_only(), &baton_outbound::OutboundOptions::default());
    let client = client.map_err(|error| CliError::new(ErrorCode::INTERNAL, error.to_string()))?;
    Ok(RemoteSettings { logins: Some(data.join(LOGIN_FOLDER)), ..RemoteSettings::new(client) })
}

/// Folder of logins.
pub(super) fn logins(data: &Path) -> std::path::PathBuf {
    data.join(LOGIN_FOLDER)
}
