//! Reads tools and servers. Connection data of servers is never shown.

use super::find::{self, ToolArgument, own_name, server_of};
use crate::internal::{
    arguments::{NameArgument, NoArguments},
    call::{InternalCall, InternalCallResult},
    search::{self, SearchArguments},
};
use baton_ports::{SearchText, ServerStatus};
use baton_types::{AgentResources, ToolSpec};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// All tools, without their schemas.
pub(super) async fn list(call: &InternalCall<'_>) -> InternalCallResult {
    let NoArguments {} = call.read()?;
    let tools: Vec<Value> = find::all_tools(call).await?.iter().map(tool_json).collect();
    Ok(CallToolResult::structured(json!({ "tools": tools })))
}

/// One tool with its schema.
pub(super) async fn get(call: &InternalCall<'_>) -> InternalCallResult {
    let tool = find::find_tool(call, &call.read::<ToolArgument>()?).await?;
    Ok(CallToolResult::structured(with_schema(&tool)))
}

/// Tools relevant to a query, regardless of their include mode.
pub(super) async fn search(call: &InternalCall<'_>) -> InternalCallResult {
    let usual = call.context.agent(call.agent)?.knowledge.relevance;
    let (query, limits) = SearchArguments::read(call, usual)?;
    let tools = find::all_tools(call).await?;
    let texts: Vec<SearchText<'_>> =
        tools.iter().map(|ToolSpec { name, description, .. }| SearchText { name, description, text: "" }).collect();
    search::answer(call, &query, &texts, limits, |at| Some(with_schema(tools.get(at)?))).await
}

/// All servers.
pub(super) fn servers(call: &InternalCall<'_>) -> InternalCallResult {
    let NoArguments {} = call.read()?;
    let agent_resources = call.context.agent_resources(call.agent);
    let statuses = call.context.tools()?.servers(call.agent);
    let servers: Vec<Value> = statuses.iter().map(|status| server_json(status, &agent_resources)).collect();
    Ok(CallToolResult::structured(json!({ "servers": servers })))
}

/// One server with its tools.
pub(super) async fn server(call: &InternalCall<'_>) -> InternalCallResult {
    let NameArgument { name } = call.read()?;
    let (status, tools) = find::server_tools(call, &name).await?;
    let mut shown = server_json(&status, &call.context.agent_resources(call.agent));
    shown["tools"] = tools.iter().map(tool_json).collect();
    Ok(CallToolResult::structured(shown))
}

pub(super) fn tool_json(tool: &ToolSpec) -> Value {
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
    let mut shown = tool_json(tool);
    shown["inputSchema"] = tool.parameters.to_value();
    shown
}

fn server_json(status: &ServerStatus, agent_resources: &AgentResources) -> Value {
    let ServerStatus { name, transport, state, tools, reason, hint, .. } = status;
    let mut shown = json!({"name": name, "type": transport, "state": state.as_str(), "toolCount": tools});
    if let Some(server) = agent_resources.servers.iter().find(|server| server.name == *name) {
        shown["include"] = json!(server.modes.default);
    }
    for (key, text) in [("reason", reason), ("hint", hint)] {
        if let Some(text) = text {
            shown[key] = text.as_str().into();
        }
    }
    shown
}
