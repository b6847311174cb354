//! When tools are part of conversations, as the definition says it.

use super::find::{self, ByTool};
use crate::internal::call::{Answer, Call, done};
use baton_types::{AgentChange, Include, ToolRunner, ToolScope};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct OfTool {
    server_name: Option<String>,
    tool_name: String,
    mode: Include,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfServer {
    name: String,
    mode: Include,
}

/// Of one tool.
pub(super) async fn of_tool(call: &Call<'_>) -> Answer {
    let OfTool { server_name, tool_name, mode } = call.read()?;
    let tool = find::one(call, &ByTool { server_name, tool_name }).await?;
    let scope = match tool.runner {
        ToolRunner::Mcp(of) => ToolScope::Tool(of),
        _ => ToolScope::Own(tool.name),
    };
    set(call, scope, mode).await
}

/// Of the tools of a server that have no mode of their own.
pub(super) async fn of_server(call: &Call<'_>) -> Answer {
    let OfServer { name, mode } = call.read()?;
    find::status(call, &name)?;
    set(call, ToolScope::Server(name), mode).await
}

async fn set(call: &Call<'_>, scope: ToolScope, include: Include) -> Answer {
    let when = match include {
        Include::Always => "part of every conversation",
        Include::Manual => "part of a conversation once somebody names it",
        Include::Agent => "part of a request when it has to do with what is asked",
    };
    let said = format!("From now on {scope} is {when}.");
    call.inside.amend(call.agent, AgentChange::Include { scope, include }).await?;
    Ok(done(said))
}
