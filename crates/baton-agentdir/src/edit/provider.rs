//! Edits model providers.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    server::merge,
    step::{EditPath, EditStep, PathElement, keys},
    yaml::walk,
};
use baton_document::{NodeEntry, NodeValue, read_json};
use baton_types::{Json, KnownProvider, PROVIDER_HEADER_PREFIX, ProviderEntry};

/// Sets or removes the provider with this id; all formats write providers alike.
pub(super) fn set(subject: &EditSubject<'_>, id: &str, entry: Option<&Json>) -> Result<AgentAmendment, EditError> {
    let id = KnownProvider::canonical_id(id);
    let path = keys(&["providers"]);
    let root = subject.tree()?;
    let (found, missing) = walk(&root, &path);
    let entries = match &found.value {
        NodeValue::Map(entries) if missing.is_empty() => entries.as_slice(),
        _ => &[],
    };
    let is_it = |entry: &&NodeEntry| KnownProvider::canonical_id(&entry.key) == id;
    let existing = entries.iter().find(is_it);
    let at = |key: &str| path.iter().cloned().chain(keys(&[key])).collect::<EditPath>();
    let Some(entry) = entry else {
        let existing = existing.ok_or_else(|| EditError::Absent { noun: "provider", name: id.to_owned() })?;
        return subject.apply_steps(subject.file, &[EditStep::Remove(at(&existing.key))]);
    };
    let entry = read_json("", entry.as_str().as_bytes()).ok().filter(|node| matches!(node.value, NodeValue::Map(_)));
    let entry = entry.ok_or(EditError::InvalidValue("a provider is a map of keys, such as OPENAI_API_KEY, or {}"))?;
    let Some(old) = existing else { return subject.apply_steps(subject.file, &[EditStep::Set(at(id), entry)]) };
    let mut steps = Vec::new();
    merge(&mut steps, at(&old.key), &old.node, &entry);
    // Unknown keys are not part of the entry and are kept.
    let stored = subject.parsed.resources.providers.iter().find(|provider| provider.id == id);
    steps
        .retain(|step| !matches!(step, EditStep::Remove(path) if !stored.is_some_and(|stored| is_known(stored, path))));
    subject.apply_steps(subject.file, &steps)
}

fn is_known(provider: &ProviderEntry, path: &[PathElement]) -> bool {
    let Some(PathElement::Key(key)) = path.last() else { return false };
    provider.keys.keys().any(|name| {
        let header = name.strip_prefix(PROVIDER_HEADER_PREFIX);
        header.map_or(name == key, |header| header == key || key == "headers")
    })
}
