//! Inserts keys and list entries.

use super::{
    super::{
        step::At,
        text::{Flow, Text, key, line_of_key},
    },
    entry_at,
    extent::{behind_colon, column_of, dash_of, is_flow, last_line},
    replace::rewritten,
    walk,
    write::{behind_dash, behind_key, in_brackets},
};
use crate::document::{Entry, Node, Value};

/// Candidates with a new key of a map, and nested maps for the rest of the path.
pub(super) fn inserted(text: &Text<'_>, root: &Node, path: &[At], value: &Node) -> Vec<String> {
    let (map, missing) = walk(root, path);
    let names: Option<Vec<&str>> = missing
        .iter()
        .map(|at| match at {
            At::Key(name) => Some(name.as_str()),
            At::Index(_) => None,
        })
        .collect();
    let Some((first, below)) = names.as_deref().and_then(<[&str]>::split_first) else { return Vec::new() };
    // Maps below the first key are part of its value.
    let value = below.iter().rev().fold(value.clone(), |value, name| super::super::step::map(vec![(name, value)]));
    let Value::Map(entries) = &map.value else {
        let holder = entry_at(root, &path[..path.len() - missing.len()]);
        let holder = holder.filter(|entry| entry.node.value == Value::Null);
        let whole = super::super::step::map(vec![(first, value)]);
        return holder.and_then(|entry| filled(text, entry, &whole)).into_iter().collect();
    };
    if is_flow(text, map) {
        let Some(from) = text.offset(map.place) else { return Vec::new() };
        let entry = format!("{}: {}", key(first), in_brackets(&value));
        return Flow::SPACED.insert(text, from, '}', &entry);
    }
    let Some(column) = entries.first().map(column_of) else { return Vec::new() };
    let pad = " ".repeat(column);
    let ways = [behind_key(&value, column), format!(" {}", in_brackets(&value))];
    let lines = ways.map(|behind| format!("{pad}{}:{behind}\n", key(first)).replace('\n', text.ending()));
    let ends = ends(text, entries);
    lines.iter().flat_map(|lines| ends.iter().map(|line| text.insert_after(*line, lines))).collect()
}

/// The last lines of the entries of a block map, from the last to the first.
fn ends(text: &Text<'_>, entries: &[Entry]) -> Vec<usize> {
    let end = |entry: &Entry| last_line(text, line_of_key(entry), column_of(entry), &entry.node);
    entries.iter().rev().map(end).collect()
}

/// The text with a value for an empty key; a comment after the key is kept.
fn filled(text: &Text<'_>, entry: &Entry, value: &Node) -> Option<String> {
    let from = behind_colon(text, entry)?;
    let new = behind_key(value, column_of(entry)).replace('\n', text.ending());
    let end = text.end_of_line(line_of_key(entry));
    let at = if new.starts_with([' ']) { from } else { end };
    Some(text.splice(at, at, &new))
}

/// Candidates with an additional list entry.
pub(super) fn added(text: &Text<'_>, root: &Node, path: &[At], found: &Node, value: &Node) -> Vec<String> {
    let whole = super::super::step::list(vec![value.clone()]);
    let holder = entry_at(root, path);
    let nodes = match &found.value {
        Value::List(nodes) => nodes,
        Value::Null => return holder.and_then(|entry| filled(text, entry, &whole)).into_iter().collect(),
        _ => return Vec::new(),
    };
    if is_flow(text, found) {
        let Some(from) = text.offset(found.place) else { return Vec::new() };
        let is_first_map = nodes.is_empty() && matches!(value.value, Value::Map(_));
        let as_lines = holder.filter(|_| is_first_map).and_then(|entry| rewritten(text, entry, &whole));
        let entry = match &value.value {
            Value::Text(name) => key(name),
            _ => in_brackets(value),
        };
        return as_lines.into_iter().chain(Flow::SPACED.insert(text, from, ']', &entry)).collect();
    }
    let candidate = nodes.last().and_then(|last| {
        let (line, column) = dash_of(text, last)?;
        let new = format!("{}-{}\n", " ".repeat(column), behind_dash(value, column));
        let end = last_line(text, line, column, last);
        Some(text.insert_after(end, &new.replace('\n', text.ending())))
    });
    candidate.into_iter().collect()
}
