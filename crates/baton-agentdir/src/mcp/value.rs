//! Values of variables and headers. They are often secrets, so messages never repeat them.

use super::McpDialect;
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue};
use std::collections::BTreeMap;

const MAX_VALUES: usize = 256;

/// Text; in files of other programs a number or a boolean is converted to text.
pub(super) fn text(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    subject: &str,
    node: &DocumentNode,
) -> Option<String> {
    let text = match &node.value {
        NodeValue::Text(text) => text.clone(),
        NodeValue::Number(_) | NodeValue::Bool(_) if !dialect.is_strict() => node.to_json().to_string(),
        NodeValue::Number(_) | NodeValue::Bool(_) => {
            reader.error(node.location, format!("{subject} must be text, not {}", node.kind()), "put it in quotes");
            return None;
        }
        _ => return reader.report_expected(subject, "text", node),
    };
    if text.contains('\0') {
        reader.error(node.location, format!("{subject} contains a NUL character"), "remove it");
        return None;
    }
    if text.contains("${input:") {
        let hint = "write ${NAME}, and set that environment variable where Baton runs";
        reader.warning(
            node.location,
            format!("{subject} asks for an input, but input prompts are not supported"),
            hint,
        );
    }
    Some(text)
}

/// Text of a key with several names.
pub(super) fn field(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    fields: &mut Fields,
    keys: &[&'static str],
) -> Option<(DocumentNode, String)> {
    let node = fields.take_any(reader, keys)?;
    let text = text(reader, dialect, keys.first().copied().unwrap_or_default(), &node)?;
    Some((node, text))
}

/// A list of texts of a key with several names; `None` if the key is missing.
pub(super) fn list(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    fields: &mut Fields,
    keys: &[&'static str],
) -> Option<Vec<String>> {
    let node = fields.take_any(reader, keys)?;
    let key = keys.first().copied().unwrap_or_default();
    let location = node.location;
    let nodes = reader.list(key, node);
    if nodes.len() > MAX_VALUES {
        reader.error(location, format!("{key} has {} entries", nodes.len()), format!("keep it to {MAX_VALUES}"));
        return Some(Vec::new());
    }
    let subject = format!("each entry of {key}");
    Some(nodes.iter().filter_map(|node| text(reader, dialect, &subject, node)).collect())
}

/// A map of texts; keys without a value are skipped.
pub(super) fn map(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    fields: &mut Fields,
    keys: &[&'static str],
) -> BTreeMap<String, String> {
    let Some(node) = fields.take_any(reader, keys) else { return BTreeMap::new() };
    let key = keys.first().copied().unwrap_or_default();
    let location = node.location;
    let entries = Fields::open(reader, key, node).map(Fields::into_entries).unwrap_or_default();
    if entries.len() > MAX_VALUES {
        reader.error(location, format!("{key} has {} entries", entries.len()), format!("keep it to {MAX_VALUES}"));
        return BTreeMap::new();
    }
    let mut map = BTreeMap::new();
    for entry in entries {
        if entry.node.value == NodeValue::Null {
            continue;
        }
        if let Some(value) = text(reader, dialect, &format!("{key}.{}", entry.key), &entry.node) {
            map.insert(entry.key, value);
        }
    }
    map
}

/// `true` or `false`.
pub(super) fn flag(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<bool> {
    let node = fields.take(key)?;
    reader.boolean(key, &node)
}

/// Reports unknown keys: errors in `agent.yaml`, warnings in shared files, nothing in TeamSpark's files, which contain
/// caches.
pub(crate) fn close(reader: &mut DocumentReader, dialect: McpDialect, fields: Fields) {
    match dialect {
        McpDialect::Native => fields.finish(reader),
        McpDialect::Shared => fields.finish_lenient(reader),
        McpDialect::TeamSpark => {}
    }
}

/// Whether this is a valid name of an environment variable.
pub(super) fn is_variable(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=128).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with(|c: char| c.is_ascii_digit())
}
