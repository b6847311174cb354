//! Tools of the calling conversation.

use super::{
    find::{self, ToolArgument, own_name},
    read::tool_json,
};
use crate::internal::{
    arguments::{NameArgument, NoArguments},
    call::{CallRejection, InternalCall, InternalCallResult, success},
};
use baton_ports::SessionItems;
use baton_types::{InclusionMode, ItemKind, ItemName, ToolSpec};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// Included tools and excluded names.
pub(super) async fn list(call: &InternalCall<'_>) -> InternalCallResult {
    let NoArguments {} = call.read()?;
    let items = call.context.items(call.task.as_ref()).await?;
    let tools = find::all_tools(call).await?;
    let there: Vec<Value> = tools
        .iter()
        .filter_map(|tool| {
            let mut shown = tool_json(tool);
            shown["include"] = json!(part_of(tool, &items)?);
            Some(shown)
        })
        .collect();
    let excluded: Vec<&str> =
        tools.iter().filter(|tool| names(&items.excluded, tool)).map(|tool| &*tool.name).collect();
    Ok(CallToolResult::structured(json!({ "tools": there, "excluded": excluded })))
}

/// Includes a tool in the conversation.
pub(super) async fn include(call: &InternalCall<'_>) -> InternalCallResult {
    let tool = find::find_tool(call, &call.read::<ToolArgument>()?).await?;
    let name = &tool.name;
    Ok(success(match include_if_absent(call, &tool).await? {
        true => format!("The tool '{name}' is part of this conversation now, as far as it may run in it."),
        false => format!("The tool '{name}' is part of this conversation already."),
    }))
}

/// Excludes a tool from the conversation.
pub(super) async fn exclude(call: &InternalCall<'_>) -> InternalCallResult {
    let tool = find::find_tool(call, &call.read::<ToolArgument>()?).await?;
    let name = &tool.name;
    Ok(success(match call.context.exclude(call.task.as_ref(), item(&tool)).await? {
        true => format!("The tool '{name}' is no longer part of this conversation."),
        false => format!("The tool '{name}' is left out of this conversation already."),
    }))
}

/// Includes all tools of a server in the conversation.
pub(super) async fn include_server(call: &InternalCall<'_>) -> InternalCallResult {
    let (name, tools) = requested_server_tools(call).await?;
    let mut new = 0;
    for tool in &tools {
        new += usize::from(include_if_absent(call, tool).await?);
    }
    Ok(success(format!(
        "All {} tools of the server '{name}' are part of this conversation now, {new} of them newly.",
        tools.len()
    )))
}

/// Excludes all tools of a server from the conversation.
pub(super) async fn exclude_server(call: &InternalCall<'_>) -> InternalCallResult {
    let (name, tools) = requested_server_tools(call).await?;
    for tool in &tools {
        call.context.exclude(call.task.as_ref(), item(tool)).await?;
    }
    Ok(success(format!("None of the {} tools of the server '{name}' is part of this conversation now.", tools.len())))
}

async fn requested_server_tools(call: &InternalCall<'_>) -> Result<(String, Vec<ToolSpec>), CallRejection> {
    let NameArgument { name } = call.read()?;
    let (status, tools) = find::server_tools(call, &name).await?;
    if tools.is_empty() {
        let reason = status.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let state = status.state.as_str();
        return Err(CallRejection::new(format!("the server '{name}' offers no tools now; it is {state}{reason}")));
    }
    Ok((name, tools))
}

/// Includes the tool; false when it was already included.
async fn include_if_absent(call: &InternalCall<'_>, tool: &ToolSpec) -> Result<bool, CallRejection> {
    let items = call.context.items(call.task.as_ref()).await?;
    match part_of(tool, &items) {
        Some(_) => Ok(false),
        None => call.context.include(call.task.as_ref(), item(tool)).await,
    }
}

/// Sessions identify a tool by its name for models.
fn item(tool: &ToolSpec) -> ItemName {
    ItemName { kind: ItemKind::Tool, name: tool.name.clone() }
}

/// The mode by which the tool is part of the session, if it is.
fn part_of(tool: &ToolSpec, items: &SessionItems) -> Option<InclusionMode> {
    match tool.include {
        _ if names(&items.excluded, tool) => None,
        InclusionMode::Always => Some(InclusionMode::Always),
        _ => names(&items.included, tool).then_some(InclusionMode::Manual),
    }
}

fn names(list: &[ItemName], tool: &ToolSpec) -> bool {
    let is_it = |item: &ItemName| item.name == tool.name || item.name == own_name(tool);
    list.iter().any(|item| item.kind == ItemKind::Tool && is_it(item))
}
