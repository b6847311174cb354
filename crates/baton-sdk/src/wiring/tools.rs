//! The tools of all agents: functions of the program, and tools of MCP servers.

use crate::Error;
use baton_orchestrator::PeerConnect;
use baton_outbound::{AddressPolicy, GuardedClient, Options};
use baton_peers::Book;
use baton_ports::AgentSource;
use baton_telemetry::Tracer;
use baton_toolhost::{
    Connectors, HostSettings, HttpTools, InternalConnect, McpServers, NativeTools, RemoteConnect, RemoteSettings,
    StdioConnect, Toolbox, TransportKind,
};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Where logins at MCP servers are kept, below the data directory.
const LOGINS: &str = "mcp-oauth";

/// The tools of these agents; nothing is started yet.
pub(super) fn toolbox(
    agents: Arc<dyn AgentSource>,
    book: Arc<Book>,
    native: NativeTools,
    data: Option<&Path>,
    tracer: Tracer,
) -> Result<Arc<Toolbox>, Error> {
    let client = GuardedClient::new(AddressPolicy::public_only(), &Options::default())
        .map_err(|error| Error::new(ErrorCode::INTERNAL, error.to_string()))?;
    let http = HttpTools::new(client.clone()).with_tracer(tracer.clone());
    let logins = data.map(|data| data.join(LOGINS));
    let remote = Arc::new(RemoteConnect::new(RemoteSettings { logins, ..RemoteSettings::new(client) }));
    let connectors = Connectors::new()
        .with(TransportKind::Stdio, Arc::new(StdioConnect::new()))
        .with(TransportKind::Http, Arc::new(PeerConnect::new(book, remote.clone())))
        .with(TransportKind::Sse, remote.clone())
        .with(TransportKind::Remote, remote)
        .with(TransportKind::Internal, Arc::new(InternalConnect::new(Arc::clone(&agents))));
    let servers = McpServers::new(agents, connectors, HostSettings { tracer, ..HostSettings::default() });
    Ok(Arc::new(Toolbox::new(servers).with_http(Arc::new(http)).with_native(Arc::new(native))))
}
