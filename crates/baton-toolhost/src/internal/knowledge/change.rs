//! Changes rules and references of the definition, in the form that it already has.

use super::read::find_item;
use crate::internal::{
    arguments::NameArgument,
    call::{CallRejection, InternalCall, InternalCallResult, success},
};
use baton_types::{AgentChange, ContextItem, InclusionMode, ItemDraft, ItemKind};
use serde::Deserialize;

/// Arguments for a rule or a reference; fields may be missing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ItemArguments {
    name: String,
    description: Option<String>,
    priority_level: Option<f64>,
    include: Option<InclusionMode>,
    text: Option<String>,
    /// Obsolete switch without effect; accepted for compatibility.
    enabled: Option<bool>,
}

impl ItemArguments {
    fn draft(self, kind: ItemKind, call: &InternalCall<'_>) -> Result<ItemDraft, CallRejection> {
        let Self { name, description, priority_level, include, text, enabled } = self;
        if enabled == Some(false) {
            let noun = if kind == ItemKind::Rule { "Rule" } else { "Reference" };
            return Err(call.invalid_argument(&format!(
                "'enabled' cannot be false, because it switches nothing off: use 'include': 'manual' to include it only when \
                 it is requested by name, exclude{noun} to leave it out of this conversation, or delete{noun}"
            )));
        }
        let priority = call.parse_integer("priorityLevel", priority_level, 0, ContextItem::MAX_PRIORITY)?;
        Ok(ItemDraft { name, description, priority, include, text })
    }
}

/// Creates an item. An existing name is rejected, because its text would be lost silently.
pub(super) async fn create(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let item = call.read::<ItemArguments>()?.draft(kind, call)?;
    let (noun, name, include) = (kind.as_str(), item.name.clone(), item.include.unwrap_or(InclusionMode::Manual));
    if item.text.is_none() {
        return Err(call.invalid_argument("missing field `text`"));
    }
    if find_item(&*call.context.agent(call.agent)?, kind, &name).is_ok() {
        let update = if kind == ItemKind::Rule { "updateRule" } else { "updateReference" };
        return Err(CallRejection::new(format!(
            "there is a {noun} '{name}' already, and it was not replaced; change it with {update}, or choose another name"
        )));
    }
    call.context.amend(call.agent, AgentChange::Create { kind, item }).await?;
    let when = match include {
        InclusionMode::Always => "It is part of every conversation, of this one from the next message on.".to_owned(),
        InclusionMode::Agent => {
            "It is included when it is relevant to the request, from the next message on.".to_owned()
        }
        InclusionMode::Manual => {
            let tool = if kind == ItemKind::Rule { "includeRule" } else { "includeReference" };
            format!("It is part of a conversation once it is requested by name; {tool} makes it part of this one.")
        }
    };
    Ok(success(format!("The {noun} '{name}' was created. {when}")))
}

/// Updates an item.
pub(super) async fn update(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let item = call.read::<ItemArguments>()?.draft(kind, call)?;
    let (noun, name) = (kind.as_str(), item.name.clone());
    if item == (ItemDraft { name: name.clone(), ..ItemDraft::default() }) {
        return Err(call.invalid_argument("give at least one of description, priorityLevel, include and text"));
    }
    find_item(&*call.context.agent(call.agent)?, kind, &name)?;
    call.context.amend(call.agent, AgentChange::Update { kind, item }).await?;
    Ok(success(format!("The {noun} '{name}' was updated. The change applies from the next message on.")))
}

/// Deletes an item.
pub(super) async fn delete(kind: ItemKind, call: &InternalCall<'_>) -> InternalCallResult {
    let NameArgument { name } = call.read()?;
    find_item(&*call.context.agent(call.agent)?, kind, &name)?;
    call.context.amend(call.agent, AgentChange::Remove { kind, name: name.clone() }).await?;
    Ok(success(format!("The {} '{name}' was deleted.", kind.as_str())))
}
