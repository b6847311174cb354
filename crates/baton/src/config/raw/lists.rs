//! Lists with a maximum length.

use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue};

/// A list of texts, without validation.
pub(super) fn texts(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Vec<String> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    reader.texts(key, node).into_iter().map(|text| text.value).collect()
}

/// At most `max_entries` texts, each validated by `check`; its error is the hint of the diagnostic.
pub(super) fn checked_texts(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
    max_entries: usize,
    check: impl Fn(&str) -> Result<(), String>,
) -> Vec<String> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let location = node.location;
    let mut entries = reader.texts(key, node);
    if entries.len() > max_entries {
        reader.error(location, format!("{key} has {} entries", entries.len()), format!("keep it to {max_entries}"));
        entries.truncate(max_entries);
    }
    for LocatedValue { location, value } in &entries {
        if let Err(hint) = check(value) {
            reader.error(*location, format!("'{}' is not valid in {key}", value.escape_debug()), hint);
        }
    }
    entries.into_iter().map(|entry| entry.value).collect()
}

/// At most `max_entries` nodes.
pub(super) fn nodes(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
    max_entries: usize,
) -> Vec<DocumentNode> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let location = node.location;
    let mut nodes = reader.list(key, node);
    if nodes.len() > max_entries {
        reader.error(location, format!("{key} has {} entries", nodes.len()), format!("keep it to {max_entries}"));
        nodes.truncate(max_entries);
    }
    nodes
}
