//! MCP servers of a request: connected and asked for their tools before the run starts.

use super::asked::Asked;
use baton_ports::{Guest, GuestError, Guests};
use baton_responses::{Create, McpToolRequest, Refusal};
use baton_types::{AgentSpec, GuestServer};
use std::{fmt, sync::Arc};

/// Port for connecting to the MCP servers of requests.
#[derive(Clone)]
pub struct GuestPorts {
    /// Connects to the servers.
    pub guests: Arc<dyn Guests>,
}

impl fmt::Debug for GuestPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuestPorts").finish_non_exhaustive()
    }
}

/// Adds the tools of the request's MCP servers. If a server cannot be used, the request is rejected without effect.
pub(super) async fn admit(asked: &Asked, spec: &AgentSpec, create: &mut Create) -> Result<(), Refusal> {
    if create.mcp.is_empty() {
        return Ok(());
    }
    let unsupported = |message: String| Err(Refusal::invalid("unsupported_tool", "tools", message));
    let Some(ports) = &asked.shared.options.guests else {
        let message = "MCP servers in requests are disabled; add the server to the agent's definition, or set \
                       responses.mcp_servers: true in baton.yaml";
        return unsupported(message.to_owned());
    };
    if spec.is_peer() {
        return unsupported(format!("'{}' is remote and cannot use MCP servers of a request; call it directly", spec.name));
    }
    let listed = create.mcp.iter().map(|server| connect(asked, &*ports.guests, server));
    let servers = futures_util::future::try_join_all(listed).await?;
    create.admit(servers)
}

async fn connect(asked: &Asked, guests: &dyn Guests, server: &McpToolRequest) -> Result<GuestServer, Refusal> {
    let McpToolRequest { server_label: label, server_url: url, headers, .. } = server;
    let guest = Guest { label: label.clone(), url: url.clone(), headers: headers.clone() };
    match guests.admit(asked.principal(), guest).await {
        Ok(tools) => Ok(server.admitted(tools)),
        Err(error) => Err(refused(label, &error)),
    }
}

fn refused(label: &str, error: &GuestError) -> Refusal {
    match error {
        GuestError::Unreachable(reason) => Refusal {
            status: 424,
            kind: "external_connector_error",
            code: Some("mcp_server_unavailable".to_owned()),
            param: Some("tools".to_owned()),
            message: format!(
                "The tools of the MCP server '{label}' cannot be listed: {reason}. Check its server_url and authorization, \
                 then send the request again. A server at a private address is reached only where baton.yaml allows it, \
                 as in responses: {{ mcp_allow: [tools.internal, 10.0.0.0/8] }}."
            ),
        },
        GuestError::TooMany(reason) => Refusal {
            status: 429,
            kind: "too_many_requests",
            code: Some("rate_limit_exceeded".to_owned()),
            param: Some("tools".to_owned()),
            message: format!("The MCP server '{label}' is not connected: {reason}."),
        },
    }
}
