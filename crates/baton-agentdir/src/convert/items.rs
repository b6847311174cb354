//! Writes rules and references in the target format.

use super::{
    ConversionSource, server,
    tree::{OrderedMap, OrderedValue},
    yaml,
};
use crate::{
    Format, GUIDE_FILE, SKILL_DIRECTORY,
    item::{self, ItemSources, ListedItems, default_description},
};
use baton_types::{ContextItem, InclusionMode, ItemKind};
use std::collections::{BTreeMap, BTreeSet};

/// Items of a kind that are not in files copied unchanged to the target.
pub(super) fn items_to_write<'a>(source: &ConversionSource<'a>, to: Format, kind: ItemKind) -> Vec<&'a ContextItem> {
    let agent = source.agent;
    let shared = if to == Format::Tsagent { BTreeMap::new() } else { shared_files(source) };
    let shared = item::gather("", ListedItems::default(), &shared, ItemSources::Shared);
    let shared = if kind == ItemKind::Rule { shared.rules } else { shared.references };
    agent.knowledge.items(kind).iter().filter(|item| !shared.contains(item)).collect()
}

/// The guide and the skills, which every format reads from files.
pub(super) fn shared_files(source: &ConversionSource<'_>) -> BTreeMap<String, Vec<u8>> {
    let is_shared = |path: &str| path == GUIDE_FILE || path.starts_with(&format!("{SKILL_DIRECTORY}/"));
    source.files.iter().filter(|(path, _)| is_shared(path)).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
}

/// Items as entries of a list.
pub(super) fn list_entries(items: &[&ContextItem], priority: &str) -> OrderedValue {
    let entry = |item: &&ContextItem| {
        let mut entry = OrderedMap::default();
        entry.set("name", item.name.as_str());
        if !item.description.is_empty() {
            entry.set("description", item.description.as_str());
        }
        if item.priority != ContextItem::DEFAULT_PRIORITY {
            entry.set(priority, item.priority);
        }
        if item.include != InclusionMode::Manual {
            entry.set("include", server::include(item.include));
        }
        entry.set("text", item.text.as_str());
        OrderedValue::from(entry)
    };
    OrderedValue::List(items.iter().map(entry).collect())
}

/// Allocates file names that are unique even on case-insensitive file systems.
#[derive(Default)]
pub(super) struct FileNames(BTreeSet<String>);

impl FileNames {
    fn take(&mut self, name: &str) -> String {
        let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let plain: String = name.chars().take(80).map(allowed).collect();
        let plain = plain.trim_start_matches('-');
        let plain = if plain.is_empty() { "item" } else { plain };
        let mut chosen = plain.to_owned();
        let mut count = 1;
        while !self.0.insert(chosen.to_lowercase()) {
            count += 1;
            chosen = format!("{plain}-{count}");
        }
        chosen
    }
}

/// Name and content of an item file in the native format; `None` if white space around the text would be lost.
pub(super) fn file(names: &mut FileNames, item: &ContextItem) -> Option<(String, String)> {
    let ending = match item.media_type.as_str() {
        "text/plain" => "txt",
        "application/json" => "json",
        "application/yaml" => "yaml",
        _ => "md",
    };
    let is_usual = item.priority == ContextItem::DEFAULT_PRIORITY
        && item.include == InclusionMode::Manual
        && item.description == default_description(&item.name, &item.media_type, &item.text);
    let needs_header = !is_usual || item.text.starts_with("---") || item.text.starts_with('\u{feff}');
    let can_be_listed = item::is_plain_name(&item.name) && !item.text.trim().is_empty();
    if ending == "md" && needs_header && item.text.trim() != item.text && can_be_listed {
        return None;
    }
    let stem = names.take(&item.name);
    let name = format!("{stem}.{ending}");
    if ending != "md" || (!needs_header && stem == item.name) {
        return Some((name, item.text.clone()));
    }
    let text = with_front_matter(&stem, item, "priority");
    Some((name, text))
}

/// Name and content of an item file in TeamSpark's directory formats.
pub(super) fn mdt(names: &mut FileNames, item: &ContextItem) -> (String, String) {
    let stem = names.take(&item.name);
    (format!("{stem}.mdt"), with_front_matter("", item, "priorityLevel"))
}

fn with_front_matter(stem: &str, item: &ContextItem, priority: &str) -> String {
    let mut header = OrderedMap::default();
    if stem != item.name {
        header.set("name", item.name.as_str());
    }
    header.set("description", item.description.as_str());
    if item.priority != ContextItem::DEFAULT_PRIORITY {
        header.set(priority, item.priority);
    }
    if item.include != InclusionMode::Manual {
        header.set("include", server::include(item.include));
    }
    format!("---\n{}---\n\n{}\n", yaml::write(&header), item.text)
}
