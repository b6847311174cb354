//! Lists with a maximum length.

use baton_agentdir::document::{DocumentNode, DocumentReader, Fields, LocatedValue};

/// A list of texts, without validation.
pub(super) fn texts(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Vec<String> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    reader.texts(key, node).into_iter().map(|text| text.value).collect()
}

/// At most `most` texts, each validated by `check`; its error is the hint of the diagnostic.
pub(super) fn checked_texts(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
    most: usize,
    check: impl Fn(&str) -> Result<(), String>,
) -> Vec<String> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let place = node.place;
    let mut entries = reader.texts(key, node);
    if entries.len() > most {
        reader.error(place, format!("{key} has {} entries", entries.len()), format!("keep it to {most}"));
        entries.truncate(most);
    }
    for LocatedValue { place, value } in &entries {
        if let Err(hint) = check(value) {
            reader.error(*place, format!("'{}' is not valid in {key}", value.escape_debug()), hint);
        }
    }
    entries.into_iter().map(|entry| entry.value).collect()
}

/// At most `most` nodes.
pub(super) fn nodes(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
    most: usize,
) -> Vec<DocumentNode> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let place = node.place;
    let mut nodes = reader.list(key, node);
    if nodes.len() > most {
        reader.error(place, format!("{key} has {} entries", nodes.len()), format!("keep it to {most}"));
        nodes.truncate(most);
    }
    nodes
}
