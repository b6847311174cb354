//! Everything that agents can use: programs, HTTP services and MCP servers.

use crate::{commands::reap, failure::Failure};
use baton_orchestrator::PeerConnect;
use baton_outbound::{AddressPolicy, GuardedClient};
use baton_peers::Book;
use baton_ports::AgentSource;
use baton_telemetry::Tracer;
use baton_toolhost::{
    Connectors, HostSettings, HttpTools, InternalConnect, McpServers, RemoteConnect, RemoteSettings, StdioConnect,
    Toolbox, TransportKind,
};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Where logins at MCP servers are kept, below the data directory.
const LOGINS: &str = "mcp-oauth";

/// The tools of these agents; nothing is started yet.
pub(super) fn toolbox(
    agents: Arc<dyn AgentSource>,
    book: Arc<Book>,
    data: &Path,
    tracer: Tracer,
) -> Result<Arc<Toolbox>, Failure> {
    let remote = remote(data)?;
    let http = HttpTools::new(remote.client.clone()).with_tracer(tracer.clone());
    let remote = Arc::new(RemoteConnect::new(remote));
    let stdio = match reap::command() {
        Some(command) => StdioConnect::with_reaper(command),
        None => StdioConnect::new(),
    };
    let connectors = Connectors::new()
        .with(TransportKind::Stdio, Arc::new(stdio))
        .with(TransportKind::Http, Arc::new(PeerConnect::new(book, remote.clone())))
        .with(TransportKind::Sse, remote.clone())
        .with(TransportKind::Remote, remote)
        .with(TransportKind::Internal, Arc::new(InternalConnect::new(Arc::clone(&agents))));
    let servers = McpServers::new(agents, connectors, HostSettings { tracer, ..HostSettings::default() });
    Ok(Arc::new(Toolbox::new(servers).with_http(Arc::new(http))))
}

/// How servers on the network are reached: those that definitions name wherever they are, others only in public.
pub(super) fn remote(data: &Path) -> Result<RemoteSettings, Failure> {
    let client = GuardedClient::new(AddressPolicy::public_only(), &baton_outbound::Options::default());
    let client = client.map_err(|error| Failure::new(ErrorCode::INTERNAL, error.to_string()))?;
    Ok(RemoteSettings { logins: Some(data.join(LOGINS)), ..RemoteSettings::new(client) })
}

/// The folder of logins.
pub(super) fn logins(data: &Path) -> std::path::PathBuf {
    data.join(LOGINS)
}
