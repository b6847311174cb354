//! Resolves tools and servers by name.

use crate::internal::call::{CallRejection, InternalCall, join_names};
use baton_ports::{ServerState, ServerStatus};
use baton_types::{ErrorCode, ToolRunner, ToolSpec};
use serde::Deserialize;
use std::time::Duration;

/// A tool by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ToolArgument {
    pub(super) server_name: Option<String>,
    pub(super) tool_name: String,
}

/// All tools available to the agent: its own, then those of ready servers.
pub(super) async fn all_tools(call: &InternalCall<'_>) -> Result<Vec<ToolSpec>, CallRejection> {
    let agent = call.context.agent(call.agent)?;
    let offered = call.context.tools()?.available_tools(&agent, Duration::ZERO).await;
    let own = agent.tools.iter().filter(|tool| tool.runner != ToolRunner::BuiltIn);
    let is_own = |tool: &ToolSpec| agent.tools.iter().any(|own| own.name == tool.name);
    let from_servers = offered.into_iter().filter(|tool| !is_own(tool));
    Ok(own.cloned().chain(from_servers).collect())
}

/// The status and the tools of a server.
pub(super) async fn server_tools(
    call: &InternalCall<'_>,
    name: &str,
) -> Result<(ServerStatus, Vec<ToolSpec>), CallRejection> {
    let status = status(call, name)?;
    let mut tools = all_tools(call).await?;
    tools.retain(|tool| server_of(tool) == Some(name));
    Ok((status, tools))
}

/// One tool, by its name at the server or its name for models.
pub(super) async fn find_tool(call: &InternalCall<'_>, target: &ToolArgument) -> Result<ToolSpec, CallRejection> {
    let ToolArgument { server_name, tool_name } = target;
    let mut tools = all_tools(call).await?;
    let is_it = |tool: &ToolSpec| match server_name.as_deref().filter(|name| !name.is_empty()) {
        Some(server) => server_of(tool) == Some(server) && (own_name(tool) == tool_name || tool.name == *tool_name),
        None => tool.name == *tool_name,
    };
    if let Some(at) = tools.iter().position(is_it) {
        return Ok(tools.swap_remove(at));
    }
    let Some(server) = server_name.as_deref().filter(|name| !name.is_empty()) else {
        let names = join_names(tools.iter().map(|tool| tool.name.as_str()));
        let detail = format!("there is no tool '{tool_name}'; there are: {names}");
        return Err(CallRejection::with_code(ErrorCode::TOOL_NOT_FOUND, detail));
    };
    let status = status(call, server)?;
    let detail = match status.state {
        ServerState::Ready => {
            let names = tools.iter().filter(|tool| server_of(tool) == Some(server)).map(own_name);
            format!("the server '{server}' offers no tool '{tool_name}'; it has: {}", join_names(names))
        }
        state => {
            let reason = status.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!("the server '{server}' is {}{reason}, so its tools are not there; tell the user", state.as_str())
        }
    };
    Err(CallRejection::with_code(ErrorCode::TOOL_NOT_FOUND, detail))
}

/// The status of a server.
pub(super) fn status(call: &InternalCall<'_>, name: &str) -> Result<ServerStatus, CallRejection> {
    let mut servers = call.context.tools()?.servers(call.agent);
    match servers.iter().position(|server| server.name == name) {
        Some(at) => Ok(servers.swap_remove(at)),
        None => {
            let names = join_names(servers.iter().map(|server| server.name.as_str()));
            Err(CallRejection::new(format!("there is no server '{name}'; there are: {names}")))
        }
    }
}

/// The server that provides a tool.
pub(super) fn server_of(tool: &ToolSpec) -> Option<&str> {
    tool.mcp_server_and_tool().map(|(server, _)| server)
}

/// The name of a tool where it is defined.
pub(super) fn own_name(tool: &ToolSpec) -> &str {
    tool.mcp_server_and_tool().map_or(tool.name.as_str(), |(_, tool)| tool)
}
