//! Changing the definition; it is written in the form that is found.

use super::look::known;
use crate::internal::{
    arguments::ByName,
    call::{Answer, Call, Refused, done},
};
use baton_types::{AgentChange, ContextItem, Include, ItemDraft, ItemKind};
use serde::Deserialize;

/// A rule or a reference, as far as it is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Given {
    name: String,
    description: Option<String>,
    priority_level: Option<f64>,
    include: Option<Include>,
    text: Option<String>,
    /// An argument of earlier days, when items had a switch that did nothing.
    enabled: Option<bool>,
}

impl Given {
    fn draft(self, kind: ItemKind, call: &Call<'_>) -> Result<ItemDraft, Refused> {
        let Self { name, description, priority_level, include, text, enabled } = self;
        if enabled == Some(false) {
            let noun = if kind == ItemKind::Rule { "Rule" } else { "Reference" };
            return Err(call.unfit(&format!(
                "'enabled' cannot be false, as nothing is switched off that way: use 'include': 'manual' so that it is there \
                 only when somebody names it, exclude{noun} to leave it out of this conversation, or delete{noun}"
            )));
        }
        let priority = call.whole("priorityLevel", priority_level, 0, ContextItem::MAX_PRIORITY)?;
        Ok(ItemDraft { name, description, priority, include, text })
    }
}

/// Adds one. A name that is taken is refused: whoever wrote that text would lose it without a word.
pub(super) async fn create(kind: ItemKind, call: &Call<'_>) -> Answer {
    let item = call.read::<Given>()?.draft(kind, call)?;
    let (noun, name, include) = (kind.as_str(), item.name.clone(), item.include.unwrap_or(Include::Manual));
    if item.text.is_none() {
        return Err(call.unfit("missing field `text`"));
    }
    if known(&*call.inside.agent(call.agent)?, kind, &name).is_ok() {
        let update = if kind == ItemKind::Rule { "updateRule" } else { "updateReference" };
        return Err(Refused::new(format!(
            "there is a {noun} '{name}' already, and it was not replaced; change it with {update}, or choose another name"
        )));
    }
    call.inside.amend(call.agent, AgentChange::Create { kind, item }).await?;
    let when = match include {
        Include::Always => "It is part of every conversation, of this one from the next message on.".to_owned(),
        Include::Agent => "It is there when it has to do with what is asked, from the next message on.".to_owned(),
        Include::Manual => {
            let tool = if kind == ItemKind::Rule { "includeRule" } else { "includeReference" };
            format!("It is part of a conversation once somebody names it; {tool} makes it part of this one.")
        }
    };
    Ok(done(format!("The {noun} '{name}' was created. {when}")))
}

/// Changes one.
pub(super) async fn update(kind: ItemKind, call: &Call<'_>) -> Answer {
    let item = call.read::<Given>()?.draft(kind, call)?;
    let (noun, name) = (kind.as_str(), item.name.clone());
    if item == (ItemDraft { name: name.clone(), ..ItemDraft::default() }) {
        return Err(call.unfit("give at least one of description, priorityLevel, include and text"));
    }
    known(&*call.inside.agent(call.agent)?, kind, &name)?;
    call.inside.amend(call.agent, AgentChange::Update { kind, item }).await?;
    Ok(done(format!("The {noun} '{name}' was updated. It counts as it is now from the next message on.")))
}

/// Takes one away.
pub(super) async fn delete(kind: ItemKind, call: &Call<'_>) -> Answer {
    let ByName { name } = call.read()?;
    known(&*call.inside.agent(call.agent)?, kind, &name)?;
    call.inside.amend(call.agent, AgentChange::Remove { kind, name: name.clone() }).await?;
    Ok(done(format!("The {} '{name}' was deleted.", kind.as_str())))
}
