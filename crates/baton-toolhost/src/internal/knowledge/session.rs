//! Rules and references of the calling conversation.

use super::read::{find_item, plural};
use crate::internal::{
    arguments::{NameArgument, NoArguments},
    call::{InternalCall, InternalCallResult, success},
};
use baton_ports::SessionItems;
use baton_rules::{SessionItem, session_items};
use baton_types::{AgentSpec, ItemKind, ItemName};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// Included items in prompt order, and the excluded names.
pub(super) async fn list(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let NoArguments {} = call.read()?;
    let agent = call.context.agent(call.agent)?;
    let items = call.context.items(call.task.as_ref()).await?;
    let there: Vec<Value> =
        part_of(&agent, kind, &items).map(|there| json!({"name": there.item.name, "include": there.include})).collect();
    let excluded = items.excluded.iter().filter(|item| item.kind == kind).map(|item| item.name.as_str());
    let excluded: Vec<&str> = excluded.collect();
    Ok(CallToolResult::structured(json!({ plural(kind): there, "excluded": excluded })))
}

/// Includes an item in the conversation.
pub(super) async fn include(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let NameArgument { name } = call.read()?;
    let agent = call.context.agent(call.agent)?;
    find_item(&agent, kind, &name)?;
    let noun = kind.as_str();
    let items = call.context.items(call.task.as_ref()).await?;
    let is_there = part_of(&agent, kind, &items).any(|there| there.item.name == name);
    let item = ItemName { kind, name: name.clone() };
    if is_there || !call.context.include(call.task.as_ref(), item).await? {
        return Ok(success(format!("The {noun} '{name}' is part of this conversation already.")));
    }
    Ok(success(format!("The {noun} '{name}' is part of this conversation from the next message on.")))
}

/// Excludes an item from the conversation.
pub(super) async fn exclude(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let NameArgument { name } = call.read()?;
    find_item(&*call.context.agent(call.agent)?, kind, &name)?;
    let noun = kind.as_str();
    let item = ItemName { kind, name: name.clone() };
    if !call.context.exclude(call.task.as_ref(), item).await? {
        return Ok(success(format!("The {noun} '{name}' is left out of this conversation already.")));
    }
    Ok(success(format!("The {noun} '{name}' is left out of this conversation from the next message on.")))
}

fn part_of<'a>(agent: &'a AgentSpec, kind: ItemKind, items: &SessionItems) -> impl Iterator<Item = SessionItem<'a>> {
    let is_out = |name: &str| items.excluded.iter().any(|item| item.kind == kind && item.name == name);
    let mut there = session_items(&agent.knowledge, kind, None, &items.included);
    there.retain(|there| !is_out(&there.item.name));
    there.into_iter()
}
