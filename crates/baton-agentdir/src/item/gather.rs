//! Collects all rules and references of an agent from lists and files.

use super::{
    ListedItems,
    files::{ItemFileRole, read},
};
use baton_document::{Diagnostic, SourceLocation};
use baton_types::{ContextItem, ItemKind};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of items of a kind per agent.
pub const MAX_REFERENCES: usize = 256;
const MAX_NAME: usize = 128;

/// Files to read in addition to the lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemSources {
    /// Directories of rules and references, the guide and skills.
    All,
    /// The guide and skills only: items of the other directories are already in the lists.
    Shared,
}

/// The collected items, sorted by priority and name.
#[derive(Default)]
pub(crate) struct CollectedItems {
    pub(crate) rules: Vec<ContextItem>,
    pub(crate) references: Vec<ContextItem>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Collects items of the lists, which are in `file`, then items of files; an unusable item is skipped with a warning.
pub(crate) fn gather(
    file: &str,
    listed: ListedItems,
    files: &BTreeMap<String, Vec<u8>>,
    sources: ItemSources,
) -> CollectedItems {
    let mut rules = ItemSet::new(ItemKind::Rule);
    let mut references = ItemSet::new(ItemKind::Reference);
    let mut diagnostics = Vec::new();
    for (location, item) in listed.rules {
        diagnostics.extend(rules.add(file, location, item));
    }
    for (location, item) in listed.references {
        diagnostics.extend(references.add(file, location, item));
    }
    for (path, bytes) in files {
        let Some(role) = ItemFileRole::from_path(path) else { continue };
        if sources == ItemSources::Shared && matches!(role, ItemFileRole::Item(..)) {
            continue;
        }
        let set = if role.kind() == ItemKind::Rule { &mut rules } else { &mut references };
        match read(path, bytes, &role) {
            Ok(item) if matches!(role, ItemFileRole::Guide) && item.text.is_empty() => {}
            Ok(item) => diagnostics.extend(set.add(path, SourceLocation::START, item)),
            Err(error) => diagnostics.push(error.into_warning(&format!("the {} is left out", set.noun()))),
        }
    }
    CollectedItems { rules: rules.sorted(), references: references.sorted(), diagnostics }
}

/// Items of one kind with unique names.
struct ItemSet {
    kind: ItemKind,
    items: Vec<ContextItem>,
    names: BTreeSet<String>,
    is_full: bool,
}

impl ItemSet {
    fn new(kind: ItemKind) -> Self {
        Self { kind, items: Vec::new(), names: BTreeSet::new(), is_full: false }
    }

    fn noun(&self) -> &'static str {
        self.kind.as_str()
    }

    /// Adds the item, or returns the reason why not; exceeding the limit is reported once.
    fn add(&mut self, file: &str, location: SourceLocation, item: ContextItem) -> Option<Diagnostic> {
        let noun = self.noun();
        let refused = |message: String, hint: &str| {
            Some(Diagnostic::warning(file, location, format!("{message}; the {noun} is left out")).with_hint(hint))
        };
        if self.items.len() == MAX_REFERENCES {
            let was_full = std::mem::replace(&mut self.is_full, true);
            let message = format!("there are more than {MAX_REFERENCES} {noun}s");
            return if was_full { None } else { refused(message, "keep fewer") };
        }
        let name = &item.name;
        let is_odd = |c: char| c.is_control() || c == '/' || c == '\\';
        if name.trim() != name || name.is_empty() || name.chars().any(is_odd) || name.len() > MAX_NAME {
            return refused(format!("a {noun} cannot have this name"), "use letters, digits, dashes and underscores");
        }
        if !self.names.insert(name.clone()) {
            return refused(format!("another {noun} is named {name:?}"), "rename one of them");
        }
        self.items.push(item);
        None
    }

    fn sorted(mut self) -> Vec<ContextItem> {
        self.items.sort_by(|one, other| (one.priority, &one.name).cmp(&(other.priority, &other.name)));
        self.items
    }
}
