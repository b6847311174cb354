//! MCP servers of a request: connected and asked for their tools before the run starts.

use super::request::ResponsesRequest;
use baton_ports::{CallerServer, CallerServerConnector, CallerServerError};
use baton_responses::{CreateResponse, McpToolRequest, OpenAiError};
use baton_types::{AgentSpec, CallerServerSpec};
use std::{fmt, sync::Arc};

/// Port for connecting to the MCP servers of requests.
#[derive(Clone)]
pub struct CallerServerPorts {
    /// Connects to the servers.
    pub caller_servers: Arc<dyn CallerServerConnector>,
}

impl fmt::Debug for CallerServerPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerServerPorts").finish_non_exhaustive()
    }
}

/// Adds the tools of the request's MCP servers. If a server cannot be used, the request is rejected without effect.
pub(super) async fn admit(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    create: &mut CreateResponse,
) -> Result<(), OpenAiError> {
    if create.mcp.is_empty() {
        return Ok(());
    }
    let unsupported = |message: String| Err(OpenAiError::invalid("unsupported_tool", "tools", message));
    let Some(ports) = &request.shared.caller_servers else {
        let message = "MCP servers in requests are disabled; add the server to the agent's definition, or set \
                       responses.mcp_servers: true in baton.yaml";
        return unsupported(message.to_owned());
    };
    if spec.is_peer() {
        return unsupported(format!(
            "'{}' is remote and cannot use MCP servers of a request; call it directly",
            spec.name
        ));
    }
    let listed = create.mcp.iter().map(|server| connect(request, &*ports.caller_servers, server));
    let servers = futures_util::future::try_join_all(listed).await?;
    create.set_servers(servers)
}

async fn connect(
    request: &ResponsesRequest,
    connector: &dyn CallerServerConnector,
    server: &McpToolRequest,
) -> Result<CallerServerSpec, OpenAiError> {
    let McpToolRequest { server_label: label, server_url: url, headers, .. } = server;
    let caller_server = CallerServer { label: label.clone(), url: url.clone(), headers: headers.clone() };
    match connector.connect_server(request.principal(), caller_server).await {
        Ok(tools) => Ok(server.with_tools(tools)),
        Err(error) => Err(caller_server_error(label, &error)),
    }
}

fn caller_server_error(label: &str, error: &CallerServerError) -> OpenAiError {
    match error {
        CallerServerError::Unreachable(reason) => OpenAiError {
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
        CallerServerError::TooMany(reason) => OpenAiError {
            status: 429,
            kind: "too_many_requests",
            code: Some("rate_limit_exceeded".to_owned()),
            param: Some("tools".to_owned()),
            message: format!("The MCP server '{label}' is not connected: {reason}."),
        },
    }
}
