//! Verifies that a change had exactly the requested effect.

mod resource_pair;

use crate::{ParsedAgent, item::default_description, resolve::default_skill};
use baton_types::{
    AgentChange, AgentPublisher, AgentSpec, ContextItem, InclusionMode, ItemDraft, ItemKind, MetadataChange,
    SessionOverrides,
};

/// Whether `new` equals `old` with this change applied.
pub(super) fn is_exactly(change: &AgentChange, old: &ParsedAgent, new: &ParsedAgent) -> bool {
    let (Some(before), Some(after)) = (&old.agent, &new.agent) else { return false };
    let mut expected = before.clone();
    let (mut old_resources, mut new_resources) = (old.resources.clone(), new.resources.clone());
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
        AgentChange::Settings(settings) => put_settings(&mut expected, after, settings),
        AgentChange::Metadata(metadata) => put_metadata(&mut expected, after, metadata),
        AgentChange::Include { scope, include } => {
            resource_pair::put_include(&mut expected, (&mut old_resources, &mut new_resources), scope, *include)
        }
        AgentChange::Server { name, entry } => {
            resource_pair::put_server((&mut old_resources, &mut new_resources), name, entry.is_some())
        }
        AgentChange::Export { name, entry } => {
            resource_pair::put_export((&mut old_resources, &mut new_resources), name, entry.as_ref())
        }
        AgentChange::Provider { id, entry } => {
            resource_pair::put_provider((&mut old_resources, &mut new_resources), id, entry.as_ref())
        }
    };
    is_done && expected == *after && old_resources == new_resources
}

fn put<T: Clone>(slot: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        *slot = value.clone();
    }
}

fn put_settings(expected: &mut AgentSpec, after: &AgentSpec, settings: &SessionOverrides) -> bool {
    let some = |slot: &mut Option<_>, value: Option<_>| put(slot, value.map(Some).as_ref());
    some(&mut expected.writing.temperature, settings.temperature);
    some(&mut expected.writing.top_p, settings.top_p);
    put(&mut expected.writing.max_output_tokens, settings.max_output_tokens.map(Some).as_ref());
    put(&mut expected.limits.max_turns, settings.max_turns.as_ref());
    put(&mut expected.policy.ask, settings.tool_permission.as_ref());
    put(&mut expected.autonomous, settings.autonomous.as_ref());
    put(&mut expected.knowledge.relevance.top_k, settings.context_top_k.as_ref());
    put(&mut expected.knowledge.relevance.top_n, settings.context_top_n.as_ref());
    put(&mut expected.knowledge.relevance.include_score, settings.context_include_score.as_ref());
    let Some(model) = &settings.model else { return true };
    expected.writing.model.clone_from(&after.writing.model);
    match &after.writing.model {
        // One provider was renamed from `claude` to `anthropic`.
        Some(named) => named == model || model.strip_prefix("anthropic:") == named.strip_prefix("claude:"),
        None => model == "playbook",
    }
}

/// Values derived from the metadata follow the new metadata.
fn put_metadata(expected: &mut AgentSpec, after: &AgentSpec, change: &MetadataChange) -> bool {
    let is_usual = |agent: &AgentSpec| agent.skills == [default_skill(&agent.name, &agent.title, &agent.description)];
    let has_usual_skill = is_usual(expected);
    let repeats_title = expected.description == expected.title;
    let text = |slot: &mut String, value: &Option<String>| {
        put(slot, value.as_ref().map(|text| text.trim().to_owned()).as_ref());
    };
    text(&mut expected.title, &change.title);
    if repeats_title && change.description.is_none() && after.description == after.title {
        expected.description.clone_from(&after.description);
    }
    text(&mut expected.description, &change.description);
    text(&mut expected.version, &change.version);
    put(&mut expected.about.icon_url, change.icon_url.as_ref().map(|url| Some(url.trim().to_owned())).as_ref());
    let page = change.documentation_url.as_ref().map(|url| Some(url.trim().to_owned()));
    put(&mut expected.about.documentation_url, page.as_ref());
    put(&mut expected.autonomous, change.autonomous.as_ref());
    if let Some(provider) = &change.provider {
        let before = expected.about.provider.as_ref().map(|provider| provider.url.clone()).unwrap_or_default();
        let url = if provider.url.is_empty() { before } else { provider.url.trim().to_owned() };
        expected.about.provider = Some(AgentPublisher { organization: provider.organization.trim().to_owned(), url });
    }
    if has_usual_skill && is_usual(after) {
        expected.skills.clone_from(&after.skills);
    }
    true
}

fn items_mut(agent: &mut AgentSpec, kind: ItemKind) -> &mut Vec<ContextItem> {
    match kind {
        ItemKind::Rule => &mut agent.knowledge.rules,
        ItemKind::Reference | ItemKind::Tool => &mut agent.knowledge.references,
    }
}

/// Accepts the new item if it is the old one with the values of the draft.
fn put_item(expected: &mut AgentSpec, after: &AgentSpec, kind: ItemKind, draft: &ItemDraft) -> bool {
    let Some(new) = after.knowledge.items(kind).iter().find(|item| item.name == draft.name) else { return false };
    let items = items_mut(expected, kind);
    let old = items.iter().position(|item| item.name == draft.name).map(|index| items.remove(index));
    let is_it = matches_draft(old.as_ref(), new, draft);
    items.push(new.clone());
    items.sort_by(|one, other| (one.priority, &one.name).cmp(&(other.priority, &other.name)));
    is_it
}

/// White space around a text is ignored, and a generated description follows the text.
fn matches_draft(old: Option<&ContextItem>, new: &ContextItem, draft: &ItemDraft) -> bool {
    let text = draft.text.as_deref().or(old.map(|old| old.text.as_str())).unwrap_or_default();
    let follows = new.description == default_description(&new.name, &new.media_type, &new.text);
    let description = match (&draft.description, old) {
        (Some(requested), _) => new.description == requested.trim(),
        (None, Some(old)) => new.description == old.description || draft.text.is_some() && follows,
        (None, None) => follows || new.description.is_empty(),
    };
    let priority = draft.priority.or(old.map(|old| old.priority)).unwrap_or(ContextItem::DEFAULT_PRIORITY);
    let include = draft.include.or(old.map(|old| old.include)).unwrap_or(InclusionMode::Manual);
    let media_type = old.is_none_or(|old| old.media_type == new.media_type);
    new.text.trim() == text.trim() && description && new.priority == priority && new.include == include && media_type
}

/// Description of the edit to make by hand.
pub(super) fn describe_manual_edit(change: &AgentChange) -> String {
    match change {
        AgentChange::Create { kind, item } | AgentChange::Update { kind, item } => {
            format!("the {} '{}' as you want it", kind.as_str(), item.name)
        }
        AgentChange::Remove { kind, name } => format!("remove the {} '{name}'", kind.as_str()),
        AgentChange::Prompt(_) => "the prompt".to_owned(),
        AgentChange::Settings(_) => "the settings".to_owned(),
        AgentChange::Metadata(_) => "the agent card metadata".to_owned(),
        AgentChange::Include { scope, .. } => format!("`include` of {scope}"),
        AgentChange::Server { name, .. } => format!("the server '{name}'"),
        AgentChange::Export { name, .. } => format!("the exported tool '{name}'"),
        AgentChange::Provider { id, .. } => format!("the provider '{id}'"),
    }
}
