//! Include modes of tools in the definition.

use super::find::{self, ToolArgument};
use crate::internal::call::{InternalCall, InternalCallResult, success};
use baton_types::{AgentChange, InclusionMode, PermissionTarget, ToolRunner};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ToolModeArguments {
    server_name: Option<String>,
    tool_name: String,
    mode: InclusionMode,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerModeArguments {
    name: String,
    mode: InclusionMode,
}

/// Sets the mode of one tool.
pub(super) async fn set_tool_mode(call: &InternalCall<'_>) -> InternalCallResult {
    let ToolModeArguments { server_name, tool_name, mode } = call.read()?;
    let tool = find::find_tool(call, &ToolArgument { server_name, tool_name }).await?;
    let scope = match tool.runner {
        ToolRunner::Mcp(of) => PermissionTarget::Tool(of),
        _ => PermissionTarget::Own(tool.name),
    };
    set(call, scope, mode).await
}

/// Sets the mode of a server's tools that have no mode of their own.
pub(super) async fn set_server_mode(call: &InternalCall<'_>) -> InternalCallResult {
    let ServerModeArguments { name, mode } = call.read()?;
    find::status(call, &name)?;
    set(call, PermissionTarget::Server(name), mode).await
}

async fn set(call: &InternalCall<'_>, scope: PermissionTarget, include: InclusionMode) -> InternalCallResult {
    let when = match include {
        InclusionMode::Always => "part of every conversation",
        InclusionMode::Manual => "part of a conversation once it is requested by name",
        InclusionMode::Agent => "part of a request when it is relevant to the request",
    };
    let message = format!("From now on {scope} is {when}.");
    call.context.amend(call.agent, AgentChange::Include { scope, include }).await?;
    Ok(success(message))
}
