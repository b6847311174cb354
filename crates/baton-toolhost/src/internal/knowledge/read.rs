//! Reads rules and references of the definition.

use crate::internal::{
    arguments::{NameArgument, NoArguments},
    call::{CallRejection, InternalCall, InternalCallResult, join_names},
    search::{self, SearchArguments},
};
use baton_ports::SearchText;
use baton_types::{AgentSpec, ContextItem, ItemKind};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// One item with its text.
pub(super) fn get(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let NameArgument { name } = call.read()?;
    let agent = call.context.agent(call.agent)?;
    let item = find_item(&agent, kind, &name)?;
    Ok(CallToolResult::structured(with_text(item)))
}

/// All items, without their texts.
pub(super) fn list(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let NoArguments {} = call.read()?;
    let agent = call.context.agent(call.agent)?;
    let all: Vec<Value> = agent.knowledge.items(kind).iter().map(item_json).collect();
    Ok(CallToolResult::structured(json!({ plural(kind): all })))
}

/// Items relevant to a query, regardless of their include mode.
pub(super) async fn search(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let agent = call.context.agent(call.agent)?;
    let (query, limits) = SearchArguments::read(call, agent.knowledge.relevance)?;
    let items = agent.knowledge.items(kind);
    let texts: Vec<SearchText<'_>> = items
        .iter()
        .map(|ContextItem { name, description, text, .. }| SearchText { name, description, text })
        .collect();
    search::answer(call, &query, &texts, limits, |at| Some(with_text(items.get(at)?))).await
}

/// The item with this name; the error lists the existing names.
pub(super) fn find_item<'a>(
    agent: &'a AgentSpec,
    kind: ItemKind,
    name: &str,
) -> Result<&'a ContextItem, CallRejection> {
    let items = agent.knowledge.items(kind);
    items.iter().find(|item| item.name == name).ok_or_else(|| {
        let names = join_names(items.iter().map(|item| item.name.as_str()));
        CallRejection::new(format!("there is no {} '{name}'; there are: {names}", kind.as_str()))
    })
}

/// Plural noun of the kind.
pub(super) fn plural(kind: ItemKind) -> &'static str {
    if kind == ItemKind::Rule { "rules" } else { "references" }
}

fn item_json(item: &ContextItem) -> Value {
    let ContextItem { name, description, priority, include, .. } = item;
    json!({"name": name, "description": description, "priorityLevel": priority, "include": include})
}

fn with_text(item: &ContextItem) -> Value {
    let mut shown = item_json(item);
    shown["text"] = item.text.as_str().into();
    shown
}
