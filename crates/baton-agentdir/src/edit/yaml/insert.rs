//! Inserts keys and list entries.

use super::{
    super::{
        step::PathElement,
        text::{FlowStyle, LineText, key, line_of_key},
    },
    entry_at,
    extent::{behind_colon, column_of, dash_of, is_flow, last_line},
    replace::rewrite_value,
    walk,
    write::{behind_dash, behind_key, in_brackets},
};
use baton_document::{DocumentNode, NodeEntry, NodeValue};

/// Candidates with a new key of a map, and nested maps for the rest of the path.
pub(super) fn insert_key(
    text: &LineText<'_>,
    root: &DocumentNode,
    path: &[PathElement],
    value: &DocumentNode,
) -> Vec<String> {
    let (map, missing) = walk(root, path);
    let names: Option<Vec<&str>> = missing
        .iter()
        .map(|at| match at {
            PathElement::Key(name) => Some(name.as_str()),
            PathElement::Index(_) => None,
        })
        .collect();
    let Some((first, below)) = names.as_deref().and_then(<[&str]>::split_first) else { return Vec::new() };
    // Maps below the first key are part of its value.
    let value = below.iter().rev().fold(value.clone(), |value, name| super::super::step::map(vec![(name, value)]));
    let NodeValue::Map(entries) = &map.value else {
        let holder = entry_at(root, &path[..path.len() - missing.len()]);
        let holder = holder.filter(|entry| entry.node.value == NodeValue::Null);
        let nested = super::super::step::map(vec![(first, value)]);
        return holder.and_then(|entry| fill_empty_key(text, entry, &nested)).into_iter().collect();
    };
    if is_flow(text, map) {
        let Some(from) = text.offset(map.location) else { return Vec::new() };
        let entry = format!("{}: {}", key(first), in_brackets(&value));
        return FlowStyle::SPACED_STYLE.insert(text, from, '}', &entry);
    }
    let Some(column) = entries.first().map(column_of) else { return Vec::new() };
    let pad = " ".repeat(column);
    let ways = [behind_key(&value, column), format!(" {}", in_brackets(&value))];
    let lines = ways.map(|behind| format!("{pad}{}:{behind}\n", key(first)).replace('\n', text.line_ending()));
    let ends = ends(text, entries);
    lines.iter().flat_map(|lines| ends.iter().map(|line| text.insert_after(*line, lines))).collect()
}

/// The last lines of the entries of a block map, from the last to the first.
fn ends(text: &LineText<'_>, entries: &[NodeEntry]) -> Vec<usize> {
    let end = |entry: &NodeEntry| last_line(text, line_of_key(entry), column_of(entry), &entry.node);
    entries.iter().rev().map(end).collect()
}

/// The text with a value for an empty key; a comment after the key is kept.
fn fill_empty_key(text: &LineText<'_>, entry: &NodeEntry, value: &DocumentNode) -> Option<String> {
    let from = behind_colon(text, entry)?;
    let new = behind_key(value, column_of(entry)).replace('\n', text.line_ending());
    let end = text.end_of_line(line_of_key(entry));
    let at = if new.starts_with([' ']) { from } else { end };
    Some(text.splice(at, at, &new))
}

/// Candidates with an additional list entry.
pub(super) fn append_entry(
    text: &LineText<'_>,
    root: &DocumentNode,
    path: &[PathElement],
    found: &DocumentNode,
    value: &DocumentNode,
) -> Vec<String> {
    let new_list = super::super::step::list(vec![value.clone()]);
    let holder = entry_at(root, path);
    let nodes = match &found.value {
        NodeValue::List(nodes) => nodes,
        NodeValue::Null => {
            return holder.and_then(|entry| fill_empty_key(text, entry, &new_list)).into_iter().collect();
        }
        _ => return Vec::new(),
    };
    if is_flow(text, found) {
        let Some(from) = text.offset(found.location) else { return Vec::new() };
        let is_first_map = nodes.is_empty() && matches!(value.value, NodeValue::Map(_));
        let as_lines = holder.filter(|_| is_first_map).and_then(|entry| rewrite_value(text, entry, &new_list));
        let entry = match &value.value {
            NodeValue::Text(name) => key(name),
            _ => in_brackets(value),
        };
        return as_lines.into_iter().chain(FlowStyle::SPACED_STYLE.insert(text, from, ']', &entry)).collect();
    }
    let candidate = nodes.last().and_then(|last| {
        let (line, column) = dash_of(text, last)?;
        let new = format!("{}-{}\n", " ".repeat(column), behind_dash(value, column));
        let end = last_line(text, line, column, last);
        Some(text.insert_after(end, &new.replace('\n', text.line_ending())))
    });
    candidate.into_iter().collect()
}
