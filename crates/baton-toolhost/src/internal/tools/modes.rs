//! Include modes of tools in the definition.

use super::find::{self, ByTool};
use crate::internal::call::{Answer, Call, done};
use baton_types::{AgentChange, InclusionMode, PermissionTarget, ToolRunner};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct OfTool {
    server_name: Option<String>,
    tool_name: String,
    mode: InclusionMode,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfServer {
    name: String,
    mode: InclusionMode,
}

/// Sets the mode of one tool.
pub(super) async fn of_tool(call: &Call<'_>) -> Answer {
    let OfTool { server_name, tool_name, mode } = call.read()?;
    let tool = find::one(call, &ByTool { server_name, tool_name }).await?;
    let scope = match tool.runner {
        ToolRunner::Mcp(of) => PermissionTarget::Tool(of),
        _ => PermissionTarget::Own(tool.name),
    };
    set(call, scope, mode).await
}

/// Sets the mode of a server's tools that have no mode of their own.
pub(super) async fn of_server(call: &Call<'_>) -> Answer {
    let OfServer { name, mode } = call.read()?;
    find::status(call, &name)?;
    set(call, PermissionTarget::Server(name), mode).await
}

async fn set(call: &Call<'_>, scope: PermissionTarget, include: InclusionMode) -> Answer {
    let when = match include {
        InclusionMode::Always => "part of every conversation",
        InclusionMode::Manual => "part of a conversation once it is requested by name",
        InclusionMode::Agent => "part of a request when it is relevant to the request",
    };
    let said = format!("From now on {scope} is {when}.");
    call.inside.amend(call.agent, AgentChange::Include { scope, include }).await?;
    Ok(done(said))
}
