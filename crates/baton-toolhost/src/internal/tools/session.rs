//! Tools of the calling conversation.

use super::{
    find::{self, ByTool, own_name},
    look::about,
};
use crate::internal::{
    arguments::{ByName, Nothing},
    call::{Answer, Call, Refused, done},
};
use baton_ports::SessionItems;
use baton_types::{InclusionMode, ItemKind, ItemName, ToolSpec};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// Included tools and excluded names.
pub(super) async fn list(call: &Call<'_>) -> Answer {
    let Nothing {} = call.read()?;
    let items = call.inside.items(call.task.as_ref()).await?;
    let tools = find::all(call).await?;
    let there: Vec<Value> = tools
        .iter()
        .filter_map(|tool| {
            let mut shown = about(tool);
            shown["include"] = json!(part_of(tool, &items)?);
            Some(shown)
        })
        .collect();
    let excluded: Vec<&str> =
        tools.iter().filter(|tool| names(&items.excluded, tool)).map(|tool| &*tool.name).collect();
    Ok(CallToolResult::structured(json!({ "tools": there, "excluded": excluded })))
}

/// Includes a tool in the conversation.
pub(super) async fn include(call: &Call<'_>) -> Answer {
    let tool = find::one(call, &call.read::<ByTool>()?).await?;
    let name = &tool.name;
    Ok(done(match put_in(call, &tool).await? {
        true => format!("The tool '{name}' is part of this conversation now, as far as it may run in it."),
        false => format!("The tool '{name}' is part of this conversation already."),
    }))
}

/// Excludes a tool from the conversation.
pub(super) async fn exclude(call: &Call<'_>) -> Answer {
    let tool = find::one(call, &call.read::<ByTool>()?).await?;
    let name = &tool.name;
    Ok(done(match call.inside.exclude(call.task.as_ref(), item(&tool)).await? {
        true => format!("The tool '{name}' is no longer part of this conversation."),
        false => format!("The tool '{name}' is left out of this conversation already."),
    }))
}

/// Includes all tools of a server in the conversation.
pub(super) async fn include_server(call: &Call<'_>) -> Answer {
    let (name, tools) = of_server(call).await?;
    let mut new = 0;
    for tool in &tools {
        new += usize::from(put_in(call, tool).await?);
    }
    Ok(done(format!(
        "All {} tools of the server '{name}' are part of this conversation now, {new} of them newly.",
        tools.len()
    )))
}

/// Excludes all tools of a server from the conversation.
pub(super) async fn exclude_server(call: &Call<'_>) -> Answer {
    let (name, tools) = of_server(call).await?;
    for tool in &tools {
        call.inside.exclude(call.task.as_ref(), item(tool)).await?;
    }
    Ok(done(format!("None of the {} tools of the server '{name}' is part of this conversation now.", tools.len())))
}

async fn of_server(call: &Call<'_>) -> Result<(String, Vec<ToolSpec>), Refused> {
    let ByName { name } = call.read()?;
    let (status, tools) = find::of_server(call, &name).await?;
    if tools.is_empty() {
        let reason = status.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let state = status.state.as_str();
        return Err(Refused::new(format!("the server '{name}' offers no tools now; it is {state}{reason}")));
    }
    Ok((name, tools))
}

/// Includes the tool; false when it was already included.
async fn put_in(call: &Call<'_>, tool: &ToolSpec) -> Result<bool, Refused> {
    let items = call.inside.items(call.task.as_ref()).await?;
    match part_of(tool, &items) {
        Some(_) => Ok(false),
        None => call.inside.include(call.task.as_ref(), item(tool)).await,
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
