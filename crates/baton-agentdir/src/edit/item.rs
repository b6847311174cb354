//! Edits rules and references in place.

mod file;
mod list;

pub(super) use list::{inclusion_keyword, keep_outer_white_space};

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
};
use crate::{
    Format, GUIDE_FILE, REFERENCE_DIRECTORIES, RULE_DIRECTORY, SKILL_DIRECTORY,
    item::{ItemSources, ListedItems, gather, is_plain_name},
};
use baton_types::{ContextItem, ItemDraft, ItemKind};
use std::collections::{BTreeMap, BTreeSet};

/// Adds an item, in a file of its own if the format has item directories.
pub(super) fn create(
    subject: &EditSubject<'_>,
    kind: ItemKind,
    draft: &ItemDraft,
) -> Result<AgentAmendment, EditError> {
    check(kind, draft)?;
    if !is_plain_name(&draft.name) {
        return Err(EditError::InvalidValue("a name has letters, digits, dashes and underscores, at most 128"));
    }
    if draft.text.is_none() {
        return Err(EditError::InvalidValue("a new item needs a text"));
    }
    if is_there(subject, kind, &draft.name) {
        return Err(EditError::Exists { noun: kind.as_str(), name: draft.name.clone() });
    }
    if subject.format == Format::Tsagent {
        return list::create(subject, kind, draft);
    }
    let path = new_path(subject, kind, &draft.name);
    let content = file::new(&path, draft);
    Ok(AgentAmendment::write_file(path, content))
}

/// Changes an item in place.
pub(super) fn update(
    subject: &EditSubject<'_>,
    kind: ItemKind,
    draft: &ItemDraft,
) -> Result<AgentAmendment, EditError> {
    check(kind, draft)?;
    if let Some(listed) = list::find(subject, kind, &draft.name)? {
        return list::update(subject, &listed, draft);
    }
    let path = source(subject, kind, &draft.name)?;
    let content = file::update_file(&path, subject.text(&path)?, draft)?;
    Ok(AgentAmendment::write_file(path, content))
}

/// Removes an item.
pub(super) fn remove(subject: &EditSubject<'_>, kind: ItemKind, name: &str) -> Result<AgentAmendment, EditError> {
    if let Some(listed) = list::find(subject, kind, name)? {
        return list::remove(subject, listed);
    }
    let path = source(subject, kind, name)?;
    // Other programs read these files as well, and a skill is more than one file.
    if path == GUIDE_FILE || path.starts_with(&format!("{SKILL_DIRECTORY}/")) {
        let instead = "other programs read it as well; remove it by hand";
        return Err(EditError::Unsupported { file: path, instead });
    }
    Ok(AgentAmendment::delete_file(path))
}

fn check(kind: ItemKind, draft: &ItemDraft) -> Result<(), EditError> {
    if kind == ItemKind::Tool {
        return Err(EditError::InvalidValue("a tool is neither a rule nor a reference"));
    }
    if draft.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(EditError::InvalidValue("a text cannot be empty"));
    }
    if draft.priority.is_some_and(|priority| priority > ContextItem::MAX_PRIORITY) {
        return Err(EditError::InvalidValue("a priority is a whole number from 0 to 999"));
    }
    Ok(())
}

fn is_there(subject: &EditSubject<'_>, kind: ItemKind, name: &str) -> bool {
    let agent = subject.parsed.agent.as_ref();
    agent.is_some_and(|agent| agent.knowledge.items(kind).iter().any(|item| item.name == name))
}

/// The file that defines an item.
fn source(subject: &EditSubject<'_>, kind: ItemKind, name: &str) -> Result<String, EditError> {
    let sources = if subject.format == Format::Tsagent { ItemSources::Shared } else { ItemSources::All };
    let is_it = |(path, bytes): &(&String, &Vec<u8>)| {
        let one = BTreeMap::from([((*path).clone(), (*bytes).clone())]);
        let found = gather("", ListedItems::default(), &one, sources);
        let items = if kind == ItemKind::Rule { found.rules } else { found.references };
        items.iter().any(|item| item.name == name)
    };
    let found = subject.files.iter().find(is_it).map(|(path, _)| path.clone());
    found.ok_or_else(|| EditError::Absent { noun: kind.as_str(), name: name.to_owned() })
}

/// An unused path, also on case-insensitive file systems.
fn new_path(subject: &EditSubject<'_>, kind: ItemKind, name: &str) -> String {
    let existing_paths: BTreeSet<String> = subject.files.keys().map(|path| path.to_lowercase()).collect();
    let is_used = |directory: &str| existing_paths.iter().any(|path| path.starts_with(&format!("{directory}/")));
    let [usual, short] = REFERENCE_DIRECTORIES;
    let is_foreign = subject.format.is_foreign();
    let directory = match kind {
        ItemKind::Rule => RULE_DIRECTORY,
        _ if is_used(short) && (is_foreign || !is_used(usual)) => short,
        _ if is_foreign && !is_used(usual) => short,
        _ => usual,
    };
    let ending = if is_foreign { "mdt" } else { "md" };
    let candidates = (1_u32..).map(|count| match count {
        1 => format!("{directory}/{name}.{ending}"),
        _ => format!("{directory}/{name}-{count}.{ending}"),
    });
    let mut free = candidates.filter(|path| !existing_paths.contains(&path.to_lowercase()));
    free.next().unwrap_or_default()
}
