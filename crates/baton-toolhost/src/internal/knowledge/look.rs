//! Reads rules and references of the definition.

use crate::internal::{
    arguments::{ByName, Nothing},
    call::{Answer, Call, Refused, named},
    search::{self, Search},
};
use baton_ports::SearchText;
use baton_types::{AgentSpec, ContextItem, ItemKind};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// One item with its text.
pub(super) fn get(kind: ItemKind, call: &Call<'_>) -> Answer {
    let ByName { name } = call.read()?;
    let agent = call.inside.agent(call.agent)?;
    let item = known(&agent, kind, &name)?;
    Ok(CallToolResult::structured(with_text(item)))
}

/// All items, without their texts.
pub(super) fn list(kind: ItemKind, call: &Call<'_>) -> Answer {
    let Nothing {} = call.read()?;
    let agent = call.inside.agent(call.agent)?;
    let all: Vec<Value> = agent.knowledge.items(kind).iter().map(about).collect();
    Ok(CallToolResult::structured(json!({ plural(kind): all })))
}

/// Items relevant to a query, regardless of their include mode.
pub(super) async fn search(kind: ItemKind, call: &Call<'_>) -> Answer {
    let agent = call.inside.agent(call.agent)?;
    let (query, limits) = Search::read(call, agent.knowledge.relevance)?;
    let items = agent.knowledge.items(kind);
    let texts: Vec<SearchText<'_>> = items
        .iter()
        .map(|ContextItem { name, description, text, .. }| SearchText { name, description, text })
        .collect();
    search::answer(call, &query, &texts, limits, |at| Some(with_text(items.get(at)?))).await
}

/// The item with this name; the error lists the existing names.
pub(super) fn known<'a>(agent: &'a AgentSpec, kind: ItemKind, name: &str) -> Result<&'a ContextItem, Refused> {
    let items = agent.knowledge.items(kind);
    items.iter().find(|item| item.name == name).ok_or_else(|| {
        let names = named(items.iter().map(|item| item.name.as_str()));
        Refused::new(format!("there is no {} '{name}'; there are: {names}", kind.as_str()))
    })
}

/// Plural noun of the kind.
pub(super) fn plural(kind: ItemKind) -> &'static str {
    if kind == ItemKind::Rule { "rules" } else { "references" }
}

fn about(item: &ContextItem) -> Value {
    let ContextItem { name, description, priority, include, .. } = item;
    json!({"name": name, "description": description, "priorityLevel": priority, "include": include})
}

fn with_text(item: &ContextItem) -> Value {
    let mut shown = about(item);
    shown["text"] = item.text.as_str().into();
    shown
}
