//! Construction of the HTTP surface.

use crate::{
    ListenerOptions, Management, ServerError, ServerHandle, SurfaceOptions, access, keys, mcp, now, server::Server,
    surface,
};
use baton_http::{HttpOptions, ServeOptions, Surface, Tls};
use baton_http_api::{ApiPorts, DefinitionPorts, PeerPorts, ToolPorts};
use baton_http_openai::CallerServerPorts;
use baton_http_telemetry::{ExportPorts, MeterPorts, SpanPorts, TelemetryPorts};
use baton_mcp::{McpLimits, McpPorts, OwnServerOptions};
use std::{net::SocketAddr, sync::Arc};

/// File descriptors reserved for other uses than connections: pipes of tools, journal, log.
const RESERVED_FILES: usize = 256;
const MIN_SOCKETS: usize = 16;

/// Options and ports that every listener of the server has in common.
fn common_options(server: &ServerHandle) -> SurfaceOptions {
    let parts = server.components();
    let http = HttpOptions {
        access: access::local_access(server),
        tracer: parts.tracer.clone(),
        shutdown: parts.stopping.clone(),
        started_at: now(),
        ..HttpOptions::default()
    };
    let telemetry = TelemetryPorts {
        spans: Some(SpanPorts { store: parts.spans.clone() }),
        exports: Some(ExportPorts { exports: Arc::new(parts.exports.clone()) }),
        meters: Some(MeterPorts { meters: Arc::clone(&parts.meters), now: baton_spans::wall_clock }),
    };
    let mut api = ApiPorts { tools: Some(ToolPorts { host: parts.tools.clone() }), ..ApiPorts::default() };
    if parts.management == Management::Enabled {
        api.peers = Some(PeerPorts { registry: parts.peer_registry.clone(), peers: parts.peers.clone() });
        api.definitions = Some(DefinitionPorts { repository: parts.locals.repository() });
    }
    let caller_servers =
        parts.tools.caller_servers().map(|servers| CallerServerPorts { caller_servers: servers.clone() });
    SurfaceOptions { http, telemetry, api, caller_servers, ..SurfaceOptions::default() }
}

/// The surface for calls in this process.
pub(crate) fn local_surface(server: &ServerHandle, mcp: Option<McpPorts>) -> Surface {
    surface(server.components().engine(), SurfaceOptions { mcp, ..common_options(server) })
}

/// MCP endpoints for calls in this process.
pub(crate) fn local_mcp(server: &ServerHandle) -> Result<McpPorts, ServerError> {
    mcp::endpoints(server, None, OwnServerOptions::default(), McpLimits::default())
}

/// The surface for the callers of a listener, and the options to serve it.
pub(crate) fn listener_surface(
    server: &Server,
    bound: SocketAddr,
    tls: Option<Tls>,
) -> Result<(Surface, ServeOptions), ServerError> {
    let (handle, data) = (server.handle(), server.directory.as_deref());
    let ListenerOptions { public_url, allow_hosts, cors_origins, identity, limits, a2a, responses, .. } =
        server.listener.clone();
    let access = access::caller_access(&handle, &identity, data)?;
    let signer = keys::signer(data)?;
    let room = baton_local::raise_open_files();
    let SurfaceOptions { http: defaults, telemetry, api, caller_servers, .. } = common_options(&handle);
    let max_body = limits.body_bytes.unwrap_or(defaults.max_body);
    let principal_share = limits.principal_share.unwrap_or(defaults.principal_share);
    let own = OwnServerOptions { streaming: a2a.streaming, push: a2a.push };
    let mcp_limits = McpLimits { max_body, holder_share: principal_share, ..McpLimits::default() };
    let mcp = Some(mcp::endpoints(&handle, data, own, mcp_limits)?);
    let http = HttpOptions {
        bound: Some(bound),
        public_url,
        allow_hosts,
        tls: tls.is_some(),
        cors_origins,
        access,
        max_body,
        principal_share,
        max_streams: limit_sockets(limits.max_streams.unwrap_or(defaults.max_streams), room),
        ..defaults
    };
    let options = SurfaceOptions { http, a2a, signer, openai: responses, caller_servers, mcp, telemetry, api };
    let serve_defaults = ServeOptions::default();
    let serve_options = ServeOptions {
        max_connections: limit_sockets(limits.max_connections.unwrap_or(serve_defaults.max_connections), room),
        tls,
        ..serve_defaults
    };
    Ok((surface(handle.components().engine(), options), serve_options))
}

/// Limits a number of sockets to the available file descriptors. Without free descriptors no tool could be started.
fn limit_sockets(requested_sockets: usize, room: Option<usize>) -> usize {
    room.map_or(requested_sockets, |files| requested_sockets.min(files.saturating_sub(RESERVED_FILES).max(MIN_SOCKETS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_limit_reserves_files_for_tools() {
        for (wanted, room, expect) in
            [(8192, None, 8192), (8192, Some(1024), 768), (10, Some(1024), 10), (8192, Some(64), 16), (4, Some(64), 4)]
        {
            assert_eq!(limit_sockets(wanted, room), expect, "{wanted} of {room:?}");
        }
    }
}
