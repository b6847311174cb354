//! Removes keys and list entries.

use super::{
    super::{
        step::{PathElement, list, map},
        text::{LineText, line_of_key},
    },
    entry_at,
    extent::{behind_colon, column_of, dash_of, is_flow, last_line},
    replace::{rewrite_value, value_end},
    walk,
};
use baton_document::{DocumentNode, NodeEntry, NodeValue, read_lean};

/// Candidates without the key or the entry at the end of the path.
pub(super) fn remove_entry(text: &LineText<'_>, root: &DocumentNode, path: &[PathElement]) -> Vec<String> {
    let Some((last, way)) = path.split_last() else { return Vec::new() };
    let (parent, _) = walk(root, way);
    let holder = entry_at(root, way);
    match (last, &parent.value) {
        (PathElement::Key(key), NodeValue::Map(entries)) => {
            let index = entries.iter().position(|entry| entry.key == *key);
            let emptied = holder.and_then(|holder| rewrite_value(text, holder, &map(Vec::new())));
            let candidate = index.and_then(|index| match is_flow(text, parent) {
                true => without_part(text, &parts(text, entries)?, index),
                false => without_key(text, entries, index),
            });
            without_last_entry(text, entries.len(), holder, emptied, candidate, " {}")
        }
        (PathElement::Index(index), NodeValue::List(nodes)) => {
            let emptied = holder.and_then(|holder| rewrite_value(text, holder, &list(Vec::new())));
            let candidate = match is_flow(text, parent) {
                true => without_node(text, nodes, *index),
                false => nodes.get(*index).and_then(|node| {
                    let (line, column) = dash_of(text, node)?;
                    let is_alone = text.line(line)[..column].trim().is_empty();
                    is_alone.then(|| text.remove_lines(line, last_line(text, line, column, node)))
                }),
            };
            without_last_entry(text, nodes.len(), holder, emptied, candidate, " []")
        }
        _ => Vec::new(),
    }
}

/// Writes an empty map or list when the last entry is removed: a key without a value is neither.
fn without_last_entry(
    text: &LineText<'_>,
    count: usize,
    holder: Option<&NodeEntry>,
    emptied: Option<String>,
    without: Option<String>,
    empty: &str,
) -> Vec<String> {
    if count > 1 {
        return without.into_iter().collect();
    }
    // Comments around the entry are kept below the key.
    let colon = holder.and_then(|holder| behind_colon(text, holder));
    let marked = without.zip(colon).map(|(without, colon)| LineText::new(&without).splice(colon, colon, empty));
    emptied.into_iter().chain(marked).collect()
}

fn without_node(text: &LineText<'_>, nodes: &[DocumentNode], index: usize) -> Option<String> {
    let part = |node: &DocumentNode| {
        let from = text.offset(node.location)?;
        Some((from, value_end(text, from, node)?))
    };
    let parts: Option<Vec<_>> = nodes.iter().map(part).collect();
    without_part(text, &parts?, index)
}

/// Start and end offsets of the entries of a flow map.
fn parts(text: &LineText<'_>, entries: &[NodeEntry]) -> Option<Vec<(usize, usize)>> {
    let part = |entry: &NodeEntry| {
        let from = text.offset(entry.location)?;
        let value = text.offset(entry.node.location)?;
        Some((from, value_end(text, value, &entry.node)?))
    };
    entries.iter().map(part).collect()
}

/// The text without one of several flow entries and its comma.
fn without_part(text: &LineText<'_>, parts: &[(usize, usize)], index: usize) -> Option<String> {
    let (from, end) = *parts.get(index)?;
    match (parts.get(index + 1), index.checked_sub(1).and_then(|before| parts.get(before))) {
        (Some((next, _)), _) => Some(text.splice(from, *next, "")),
        (None, Some((_, previous_end))) => Some(text.splice(*previous_end, end, "")),
        (None, None) => Some(text.splice(from, end, "")),
    }
}

fn without_key(text: &LineText<'_>, entries: &[NodeEntry], index: usize) -> Option<String> {
    let entry = entries.get(index)?;
    let (line, from) = (line_of_key(entry), text.offset(entry.location)?);
    let last = last_line(text, line, column_of(entry), &entry.node);
    let start = text.start_of_line(line);
    if text.all()[start..from].trim().is_empty() {
        return Some(text.remove_lines(line, last));
    }
    // The key follows the dash of a list; the next key moves to its position.
    let next = entries.get(index + 1)?;
    let end = text.end_of_line(last);
    let to = text.offset(next.location)?;
    let between = text.all().get(end..to)?;
    between.trim().is_empty().then(|| text.splice(from, to, ""))
}

/// Candidates without the entries that equal this text, removed one by one.
pub(super) fn remove_text_entries(
    text: &LineText<'_>,
    root: &DocumentNode,
    path: &[PathElement],
    name: &str,
) -> Vec<String> {
    let mut now = text.all().to_owned();
    let mut node = root.clone();
    loop {
        let (list, missing) = walk(&node, path);
        let NodeValue::List(nodes) = &list.value else { return Vec::new() };
        if !missing.is_empty() {
            return Vec::new();
        }
        let is_it = |node: &DocumentNode| node.value == NodeValue::Text(name.to_owned());
        let Some(index) = nodes.iter().position(is_it) else { return vec![now] };
        let Some(shorter) = without(&LineText::new(&now), &node, path, nodes, index) else { return Vec::new() };
        let Ok(read) = read_lean("", shorter.as_bytes()) else { return Vec::new() };
        (now, node) = (shorter, read);
    }
}

fn without(
    text: &LineText<'_>,
    root: &DocumentNode,
    path: &[PathElement],
    nodes: &[DocumentNode],
    index: usize,
) -> Option<String> {
    let node = nodes.get(index)?;
    let line = node.location.line as usize - 1;
    let is_block = text.line(line).trim_start().starts_with("- ");
    if !is_block {
        return without_node(text, nodes, index);
    }
    let without = text.remove_lines(line, line);
    if nodes.len() > 1 {
        return Some(without);
    }
    // A key without a value is not a list, so an empty list is written.
    let colon = behind_colon(text, entry_at(root, path)?)?;
    let without = LineText::new(&without);
    Some(without.splice(colon, colon, " []"))
}
