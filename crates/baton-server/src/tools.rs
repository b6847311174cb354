//! Tools of agents: programs, HTTP services, functions and MCP servers.

use crate::{Management, Persistence, ServerError, ToolOptions, agents::LocalAgents};
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_peers::LocalPeerRegistry;
use baton_ports::{AgentSource, SessionStore, TextSearch, ToolHost};
use baton_telemetry::Tracer;
use baton_toolhost::{
    CallerServerHost, ConnectorRegistry, HostSettings, HttpTools, InternalConnector, InternalPorts, McpServers,
    PeerConnect, RemoteConnector, RemoteSettings, StdioConnector, Toolbox, TransportKind,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Folder of logins at MCP servers, below the data directory.
const LOGIN_FOLDER: &str = "mcp-oauth";

/// The toolbox, and the connector of internal MCP servers.
pub(crate) struct ToolboxParts {
    pub(crate) toolbox: Arc<Toolbox>,
    internal: Arc<InternalConnector>,
}

impl ToolboxParts {
    /// Gives internal MCP servers weak references to tools and sessions.
    pub(crate) fn attach<E: SessionStore + TextSearch>(&self, engine: &Arc<E>) {
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

/// Agents whose tools are offered.
pub(crate) struct ToolSources {
    pub(crate) agents: Arc<dyn AgentSource>,
    pub(crate) locals: Arc<LocalAgents>,
    pub(crate) peer_registry: Arc<LocalPeerRegistry>,
    pub(crate) management: Management,
}

/// The tools of these agents; nothing is started yet.
pub(crate) fn toolbox(
    sources: ToolSources,
    options: ToolOptions,
    persistence: &Persistence,
    tracer: Tracer,
) -> Result<ToolboxParts, ServerError> {
    let ToolSources { agents, locals, peer_registry, management } = sources;
    let ToolOptions { functions, reaper, caller_servers: allow } = options;
    let caller_server_host = allow.as_deref().map(|allow| caller_servers(allow, &tracer)).transpose()?;
    let remote = remote(persistence.caches())?;
    let http = HttpTools::new(remote.client.clone()).with_agents(Arc::clone(&agents)).with_tracer(tracer.clone());
    let remote = Arc::new(RemoteConnector::new(remote));
    let stdio = match reaper {
        Some(command) => StdioConnector::with_reaper(command),
        None => StdioConnector::new(),
    };
    let internal = Arc::new(match management {
        Management::Enabled => InternalConnector::with_repository(Arc::clone(&agents), locals.repository()),
        Management::Disabled => InternalConnector::new(Arc::clone(&agents)),
    });
    let connectors = ConnectorRegistry::new()
        .with(TransportKind::Stdio, Arc::new(stdio))
        .with(TransportKind::Http, Arc::new(PeerConnect::new(peer_registry, remote.clone())))
        .with(TransportKind::Sse, remote.clone())
        .with(TransportKind::Remote, remote)
        .with(TransportKind::Internal, internal.clone());
    let servers = McpServers::new(agents, connectors, HostSettings { tracer, ..HostSettings::default() });
    let toolbox = Toolbox::new(servers).with_http(Arc::new(http));
    let toolbox = match functions {
        Some(functions) => toolbox.with_native(Arc::new(functions)),
        None => toolbox,
    };
    let toolbox = match caller_server_host {
        Some(caller_server_host) => toolbox.with_caller_servers(Arc::new(caller_server_host)),
        None => toolbox,
    };
    Ok(ToolboxParts { toolbox: Arc::new(toolbox), internal })
}

/// Connections to MCP servers that requests bring along: public addresses, and those allowed by the options.
fn caller_servers(allow: &[String], tracer: &Tracer) -> Result<CallerServerHost, ServerError> {
    let policy =
        AddressPolicy::allowing(allow).map_err(|error| ServerError::invalid_option("responses.mcp_allow", &error))?;
    let connect = Arc::new(RemoteConnector::for_untrusted(RemoteSettings::new(client(policy)?)));
    Ok(CallerServerHost::new(connect, HostSettings { tracer: tracer.clone(), ..HostSettings::default() }))
}

/// Connections to MCP servers on the network: any address for servers in definitions, otherwise public addresses only.
pub(crate) fn remote(caches: Option<&Path>) -> Result<RemoteSettings, ServerError> {
    let client = client(AddressPolicy::public_only())?;
    Ok(RemoteSettings { logins: caches.map(login_folder), ..RemoteSettings::new(client) })
}

/// A client with the default limits.
pub(crate) fn client(policy: AddressPolicy) -> Result<GuardedClient, ServerError> {
    GuardedClient::new(policy, &OutboundOptions::default()).map_err(|error| ServerError::Internal(error.to_string()))
}

/// Folder of logins.
pub(crate) fn login_folder(data: &Path) -> PathBuf {
    data.join(LOGIN_FOLDER)
}
