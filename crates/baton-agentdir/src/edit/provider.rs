//! Edits model providers.

use super::{
    EditError,
    amend::{Amended, Subject},
    server::merge,
    step::{At, Path, Step, keys},
    yaml::walk,
};
use crate::document::{Entry, Value, read_json};
use baton_types::{Json, KnownProvider, PROVIDER_HEADER_PREFIX, ProviderEntry};

/// Sets or removes the provider with this id; all formats write providers alike.
pub(super) fn set(subject: &Subject<'_>, id: &str, entry: Option<&Json>) -> Result<Amended, EditError> {
    let id = KnownProvider::canonical_id(id);
    let path = keys(&["providers"]);
    let root = subject.tree()?;
    let (found, missing) = walk(&root, &path);
    let entries = match &found.value {
        Value::Map(entries) if missing.is_empty() => entries.as_slice(),
        _ => &[],
    };
    let is_it = |entry: &&Entry| KnownProvider::canonical_id(&entry.key) == id;
    let there = entries.iter().find(is_it);
    let at = |key: &str| path.iter().cloned().chain(keys(&[key])).collect::<Path>();
    let Some(entry) = entry else {
        let there = there.ok_or_else(|| EditError::Absent { noun: "provider", name: id.to_owned() })?;
        return subject.carried_out(subject.file, &[Step::Remove(at(&there.key))]);
    };
    let entry = read_json("", entry.as_str().as_bytes()).ok().filter(|node| matches!(node.value, Value::Map(_)));
    let entry = entry.ok_or(EditError::Unfit("a provider is a map of keys, such as OPENAI_API_KEY, or {}"))?;
    let Some(old) = there else { return subject.carried_out(subject.file, &[Step::Set(at(id), entry)]) };
    let mut steps = Vec::new();
    merge(&mut steps, at(&old.key), &old.node, &entry);
    // Unknown keys are not part of the entry and are kept.
    let known = subject.parsed.kit.providers.iter().find(|provider| provider.id == id);
    steps.retain(|step| !matches!(step, Step::Remove(path) if !known.is_some_and(|known| is_known(known, path))));
    subject.carried_out(subject.file, &steps)
}

fn is_known(provider: &ProviderEntry, path: &[At]) -> bool {
    let Some(At::Key(key)) = path.last() else { return false };
    provider.keys.keys().any(|known| {
        let header = known.strip_prefix(PROVIDER_HEADER_PREFIX);
        header.map_or(known == key, |header| header == key || key == "headers")
    })
}
