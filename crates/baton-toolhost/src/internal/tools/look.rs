//! Reads tools and servers. Connection data of servers is never shown.

use super::find::{self, ByTool, own_name, server_of};
use crate::internal::{
    arguments::{ByName, Nothing},
    call::{Answer, Call},
    search::{self, Search},
};
use baton_ports::{SearchText, ServerStatus};
use baton_types::{AgentResources, ToolSpec};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// All tools, without their schemas.
pub(super) async fn list(call: &Call<'_>) -> Answer {
    let Nothing {} = call.read()?;
    let tools: Vec<Value> = find::all(call).await?.iter().map(about).collect();
    Ok(CallToolResult::structured(json!({ "tools": tools })))
}

/// One tool with its schema.
pub(super) async fn get(call: &Call<'_>) -> Answer {
    let tool = find::one(call, &call.read::<ByTool>()?).await?;
    Ok(CallToolResult::structured(with_schema(&tool)))
}

/// Tools relevant to a query, regardless of their include mode.
pub(super) async fn search(call: &Call<'_>) -> Answer {
    let usual = call.inside.agent(call.agent)?.knowledge.relevance;
    let (query, limits) = Search::read(call, usual)?;
    let tools = find::all(call).await?;
    let texts: Vec<SearchText<'_>> =
        tools.iter().map(|ToolSpec { name, description, .. }| SearchText { name, description, text: "" }).collect();
    search::answer(call, &query, &texts, limits, |at| Some(with_schema(tools.get(at)?))).await
}

/// All servers.
pub(super) fn servers(call: &Call<'_>) -> Answer {
    let Nothing {} = call.read()?;
    let kit = call.inside.kit(call.agent);
    let statuses = call.inside.tools()?.servers(call.agent);
    let servers: Vec<Value> = statuses.iter().map(|status| standing(status, &kit)).collect();
    Ok(CallToolResult::structured(json!({ "servers": servers })))
}

/// One server with its tools.
pub(super) async fn server(call: &Call<'_>) -> Answer {
    let ByName { name } = call.read()?;
    let (status, tools) = find::of_server(call, &name).await?;
    let mut shown = standing(&status, &call.inside.kit(call.agent));
    shown["tools"] = tools.iter().map(about).collect();
    Ok(CallToolResult::structured(shown))
}

pub(super) fn about(tool: &ToolSpec) -> Value {
    let mut shown = json!({
        "name": tool.name,
        "toolName": own_name(tool),
        "description": tool.description,
        "include": tool.include,
    });
    if let Some(server) = server_of(tool) {
        shown["serverName"] = server.into();
    }
    shown
}

fn with_schema(tool: &ToolSpec) -> Value {
    let mut shown = about(tool);
    shown["inputSchema"] = tool.parameters.to_value();
    shown
}

fn standing(status: &ServerStatus, kit: &AgentResources) -> Value {
    let ServerStatus { name, transport, state, tools, reason, hint, .. } = status;
    let mut shown = json!({"name": name, "type": transport, "state": state.as_str(), "toolCount": tools});
    if let Some(server) = kit.servers.iter().find(|server| server.name == *name) {
        shown["include"] = json!(server.modes.default);
    }
    for (key, words) in [("reason", reason), ("hint", hint)] {
        if let Some(words) = words {
            shown[key] = words.as_str().into();
        }
    }
    shown
}
