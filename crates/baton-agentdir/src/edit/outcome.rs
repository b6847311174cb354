//! Whether a change did what was asked, and nothing else.

use crate::{Parsed, item::described};
use baton_types::{AgentChange, AgentSpec, ContextItem, Include, ItemDraft, ItemKind};

/// Whether the second reading is the first with this change.
pub(super) fn is_exactly(change: &AgentChange, old: &Parsed, new: &Parsed) -> bool {
    let (Some(before), Some(after)) = (&old.agent, &new.agent) else { return false };
    let mut expected = before.clone();
    let is_done = match change {
        AgentChange::Create { kind, item } | AgentChange::Update { kind, item } => {
            put_item(&mut expected, after, *kind, item)
        }
        AgentChange::Remove { kind, name } => {
            let items = items_mut(&mut expected, *kind);
            items.retain(|item| item.name != *name);
            !after.knowledge.items(*kind).iter().any(|item| item.name == *name)
        }
        AgentChange::Prompt(text) => {
            expected.prompt = text.trim_end().to_owned();
            true
        }
        AgentChange::Settings(_)
        | AgentChange::Metadata(_)
        | AgentChange::Include { .. }
        | AgentChange::Server { .. }
        | AgentChange::Export { .. } => false,
    };
    is_done && expected == *after && old.kit == new.kit
}

fn items_mut(agent: &mut AgentSpec, kind: ItemKind) -> &mut Vec<ContextItem> {
    match kind {
        ItemKind::Rule => &mut agent.knowledge.rules,
        ItemKind::Reference | ItemKind::Tool => &mut agent.knowledge.references,
    }
}

/// Takes over the new item when it is the old one with what the draft gives.
fn put_item(expected: &mut AgentSpec, after: &AgentSpec, kind: ItemKind, draft: &ItemDraft) -> bool {
    let Some(new) = after.knowledge.items(kind).iter().find(|item| item.name == draft.name) else { return false };
    let items = items_mut(expected, kind);
    let old = items.iter().position(|item| item.name == draft.name).map(|index| items.remove(index));
    let is_it = is_drafted(old.as_ref(), new, draft);
    items.push(new.clone());
    items.sort_by(|one, other| (one.priority, &one.name).cmp(&(other.priority, &other.name)));
    is_it
}

/// White space around a text is no part of it, and a description that nobody wrote follows the text.
fn is_drafted(old: Option<&ContextItem>, new: &ContextItem, draft: &ItemDraft) -> bool {
    let text = draft.text.as_deref().or(old.map(|old| old.text.as_str())).unwrap_or_default();
    let follows = new.description == described(&new.name, &new.media_type, &new.text);
    let description = match (&draft.description, old) {
        (Some(words), _) => new.description == words.trim(),
        (None, Some(old)) => new.description == old.description || draft.text.is_some() && follows,
        (None, None) => follows || new.description.is_empty(),
    };
    let priority = draft.priority.or(old.map(|old| old.priority)).unwrap_or(ContextItem::USUAL_PRIORITY);
    let include = draft.include.or(old.map(|old| old.include)).unwrap_or(Include::Manual);
    let media_type = old.is_none_or(|old| old.media_type == new.media_type);
    new.text.trim() == text.trim() && description && new.priority == priority && new.include == include && media_type
}

/// What a person would write.
pub(super) fn told(change: &AgentChange) -> String {
    match change {
        AgentChange::Create { kind, item } | AgentChange::Update { kind, item } => {
            format!("the {} '{}' as you want it", kind.as_str(), item.name)
        }
        AgentChange::Remove { kind, name } => format!("the agent without the {} '{name}'", kind.as_str()),
        AgentChange::Prompt(_) => "the prompt".to_owned(),
        AgentChange::Settings(_) => "the settings".to_owned(),
        AgentChange::Metadata(_) => "what the card says".to_owned(),
        AgentChange::Include { scope, .. } => format!("`include` of {scope}"),
        AgentChange::Server { name, .. } => format!("the server '{name}'"),
        AgentChange::Export { name, .. } => format!("the exported tool '{name}'"),
    }
}
