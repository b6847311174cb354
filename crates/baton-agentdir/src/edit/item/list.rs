//! Edits items in lists of the agent's definition file.

use super::super::{
    EditError,
    amend::{Amended, Subject},
    step::{At, Path, Step, keys, map, plain},
    yaml::walk,
};
use crate::document::{Node, Value};
use baton_types::{ContextItem, InclusionMode, ItemDraft, ItemKind};

/// Path and values of an item in the definition file.
pub(super) struct Listed {
    path: Path,
    node: Node,
}

/// The item with this name in the list of its kind.
pub(super) fn find(subject: &Subject<'_>, kind: ItemKind, name: &str) -> Result<Option<Listed>, EditError> {
    let root = subject.tree()?;
    let path = keys(&[key_of(kind)]);
    let (found, missing) = walk(&root, &path);
    let Value::List(nodes) = &found.value else { return Ok(None) };
    let is_it = |node: &Node| match &walk(node, &keys(&["name"])) {
        (named, []) => named.value == Value::Text(name.to_owned()),
        _ => false,
    };
    let index = nodes.iter().position(is_it).filter(|_| missing.is_empty());
    Ok(index.and_then(|index| {
        let node = nodes.get(index)?.clone();
        Some(Listed { path: path.into_iter().chain([At::Index(index)]).collect(), node })
    }))
}

/// Adds an entry with all keys of an item.
pub(super) fn create(subject: &Subject<'_>, kind: ItemKind, draft: &ItemDraft) -> Result<Amended, EditError> {
    let text = draft.text.as_deref().unwrap_or_default().trim();
    let text = if text.contains('\n') { format!("{text}\n") } else { text.to_owned() };
    let entry = map(vec![
        ("name", plain(draft.name.as_str())),
        ("description", plain(draft.description.as_deref().unwrap_or_default().trim())),
        (priority_key(subject), plain(draft.priority.unwrap_or(ContextItem::DEFAULT_PRIORITY))),
        ("include", plain(word(draft.include.unwrap_or(InclusionMode::Manual)))),
        ("text", plain(text)),
    ]);
    subject.carried_out(subject.file, &[Step::Add(keys(&[key_of(kind)]), entry)])
}

/// Updates the entry with the values of the draft.
pub(super) fn update(subject: &Subject<'_>, listed: &Listed, draft: &ItemDraft) -> Result<Amended, EditError> {
    let has = |key: &str| get(&listed.node, key).is_some();
    let at = |key: &str| listed.path.iter().cloned().chain(keys(&[key])).collect::<Path>();
    let priority = ["priority", "priorityLevel"].into_iter().find(|key| has(key)).unwrap_or(priority_key(subject));
    let text = draft.text.as_ref().map(|text| match get(&listed.node, "text").map(|node| &node.value) {
        Some(Value::Text(before)) => between_blanks(before, text),
        _ => text.trim().to_owned(),
    });
    let wanted = [
        ("description", draft.description.as_deref().map(|words| plain(words.trim()))),
        (priority, draft.priority.map(plain)),
        ("include", draft.include.map(|include| plain(word(include)))),
        ("text", text.map(plain)),
    ];
    let mut steps = Vec::new();
    let mut is_reworded = false;
    for (key, value) in wanted {
        let Some(value) = value else { continue };
        if get(&listed.node, key).map(Node::to_json) != Some(value.to_json()) {
            is_reworded |= key == "description" || key == "text";
            steps.push(Step::Set(at(key), value));
        }
    }
    // Embeddings of the old text would match the wrong queries.
    if is_reworded && has("embeddings") {
        steps.push(Step::Remove(at("embeddings")));
    }
    subject.carried_out(subject.file, &steps)
}

/// Removes the entry.
pub(super) fn remove(subject: &Subject<'_>, listed: Listed) -> Result<Amended, EditError> {
    subject.carried_out(subject.file, &[Step::Remove(listed.path)])
}

/// The text with the surrounding white space of the previous text.
pub(in super::super) fn between_blanks(before: &str, text: &str) -> String {
    let kept = before.trim();
    if kept.is_empty() {
        return format!("{}\n", text.trim());
    }
    let start = before.len() - before.trim_start().len();
    format!("{}{}{}", &before[..start], text.trim(), &before[start + kept.len()..])
}

/// Keyword of an inclusion mode.
pub(in super::super) fn word(include: InclusionMode) -> &'static str {
    match include {
        InclusionMode::Always => "always",
        InclusionMode::Manual => "manual",
        InclusionMode::Agent => "agent",
    }
}

fn priority_key(subject: &Subject<'_>) -> &'static str {
    if subject.format.is_foreign() { "priorityLevel" } else { "priority" }
}

fn key_of(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Rule => "rules",
        ItemKind::Reference | ItemKind::Tool => "references",
    }
}

fn get<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
}
