//! Edits items in lists of the agent's definition file.

use super::super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    step::{EditPath, EditStep, PathElement, keys, map, scalar},
    yaml::walk,
};
use baton_document::{DocumentNode, NodeValue};
use baton_types::{ContextItem, InclusionMode, ItemDraft, ItemKind};

/// Path and values of an item in the definition file.
pub(super) struct ItemListEntry {
    path: EditPath,
    node: DocumentNode,
}

/// The item with this name in the list of its kind.
pub(super) fn find(subject: &EditSubject<'_>, kind: ItemKind, name: &str) -> Result<Option<ItemListEntry>, EditError> {
    let root = subject.tree()?;
    let path = keys(&[key_of(kind)]);
    let (found, missing) = walk(&root, &path);
    let NodeValue::List(nodes) = &found.value else { return Ok(None) };
    let is_it = |node: &DocumentNode| match &walk(node, &keys(&["name"])) {
        (named, []) => named.value == NodeValue::Text(name.to_owned()),
        _ => false,
    };
    let index = nodes.iter().position(is_it).filter(|_| missing.is_empty());
    Ok(index.and_then(|index| {
        let node = nodes.get(index)?.clone();
        Some(ItemListEntry { path: path.into_iter().chain([PathElement::Index(index)]).collect(), node })
    }))
}

/// Adds an entry with all keys of an item.
pub(super) fn create(
    subject: &EditSubject<'_>,
    kind: ItemKind,
    draft: &ItemDraft,
) -> Result<AgentAmendment, EditError> {
    let text = draft.text.as_deref().unwrap_or_default().trim();
    let text = if text.contains('\n') { format!("{text}\n") } else { text.to_owned() };
    let entry = map(vec![
        ("name", scalar(draft.name.as_str())),
        ("description", scalar(draft.description.as_deref().unwrap_or_default().trim())),
        (priority_key(subject), scalar(draft.priority.unwrap_or(ContextItem::DEFAULT_PRIORITY))),
        ("include", scalar(inclusion_keyword(draft.include.unwrap_or(InclusionMode::Manual)))),
        ("text", scalar(text)),
    ]);
    subject.apply_steps(subject.file, &[EditStep::Add(keys(&[key_of(kind)]), entry)])
}

/// Updates the entry with the values of the draft.
pub(super) fn update(
    subject: &EditSubject<'_>,
    listed: &ItemListEntry,
    draft: &ItemDraft,
) -> Result<AgentAmendment, EditError> {
    let has = |key: &str| get(&listed.node, key).is_some();
    let at = |key: &str| listed.path.iter().cloned().chain(keys(&[key])).collect::<EditPath>();
    let priority = ["priority", "priorityLevel"].into_iter().find(|key| has(key)).unwrap_or(priority_key(subject));
    let text = draft.text.as_ref().map(|text| match get(&listed.node, "text").map(|node| &node.value) {
        Some(NodeValue::Text(before)) => keep_outer_white_space(before, text),
        _ => text.trim().to_owned(),
    });
    let fields = [
        ("description", draft.description.as_deref().map(|description| scalar(description.trim()))),
        (priority, draft.priority.map(scalar)),
        ("include", draft.include.map(|include| scalar(inclusion_keyword(include)))),
        ("text", text.map(scalar)),
    ];
    let mut steps = Vec::new();
    let mut is_reworded = false;
    for (key, value) in fields {
        let Some(value) = value else { continue };
        if get(&listed.node, key).map(DocumentNode::to_json) != Some(value.to_json()) {
            is_reworded |= key == "description" || key == "text";
            steps.push(EditStep::Set(at(key), value));
        }
    }
    // Embeddings of the old text would match the wrong queries.
    if is_reworded && has("embeddings") {
        steps.push(EditStep::Remove(at("embeddings")));
    }
    subject.apply_steps(subject.file, &steps)
}

/// Removes the entry.
pub(super) fn remove(subject: &EditSubject<'_>, listed: ItemListEntry) -> Result<AgentAmendment, EditError> {
    subject.apply_steps(subject.file, &[EditStep::Remove(listed.path)])
}

/// The text with the surrounding white space of the previous text.
pub(in super::super) fn keep_outer_white_space(before: &str, text: &str) -> String {
    let trimmed = before.trim();
    if trimmed.is_empty() {
        return format!("{}\n", text.trim());
    }
    let start = before.len() - before.trim_start().len();
    format!("{}{}{}", &before[..start], text.trim(), &before[start + trimmed.len()..])
}

/// Keyword of an inclusion mode.
pub(in super::super) fn inclusion_keyword(include: InclusionMode) -> &'static str {
    match include {
        InclusionMode::Always => "always",
        InclusionMode::Manual => "manual",
        InclusionMode::Agent => "agent",
    }
}

fn priority_key(subject: &EditSubject<'_>) -> &'static str {
    if subject.format.is_foreign() { "priorityLevel" } else { "priority" }
}

fn key_of(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Rule => "rules",
        ItemKind::Reference | ItemKind::Tool => "references",
    }
}

fn get<'a>(node: &'a DocumentNode, key: &str) -> Option<&'a DocumentNode> {
    let NodeValue::Map(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
}
