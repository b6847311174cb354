//! Steps on the text of a YAML file: the few shapes that occur, each tried at every place where it could go.
//!
//! Nothing here knows all of YAML. Whoever calls tells whether a text is the wanted one, so a place that turns out to be
//! inside of a comment or a block of text is passed over, and a file without a good place stays as it is.

use super::{
    step::{At, Step},
    text::{Flow, Text, key, line_of_key, nested_block, scalar, scalar_end},
};
use crate::document::{Entry, Node, Value, read_lean};

/// Takes the step where the outcome is good; `None` when there is no such place.
pub(super) fn take(text: &str, step: &Step, is_good: &dyn Fn(&str) -> bool) -> Option<String> {
    let root = read_lean("", text.as_bytes()).ok()?;
    let text = Text::new(text);
    let (found, missing) = walk(&root, step.path());
    let candidates = match step {
        Step::Set(_, value) if missing.is_empty() => replaced(&text, found, &scalar(value)?),
        Step::Set(_, value) => inserted(&text, found, missing, &scalar(value)?),
        Step::Add(_, name) if missing.is_empty() => added(&text, found, &key(name)),
        Step::Add(_, name) => inserted(&text, found, missing, &format!("[{}]", key(name))),
        Step::Drop(path, name) => dropped(&text, &root, path, name),
    };
    candidates.into_iter().find(|candidate| is_good(candidate))
}

/// The deepest value that is there, and what of the path is not.
pub(super) fn walk<'a, 'p>(root: &'a Node, path: &'p [At]) -> (&'a Node, &'p [At]) {
    let mut node = root;
    for (depth, at) in path.iter().enumerate() {
        let next = match (at, &node.value) {
            (At::Key(key), Value::Map(entries)) => entries.iter().find(|entry| entry.key == *key).map(|e| &e.node),
            (At::Index(index), Value::List(nodes)) => nodes.get(*index),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return (node, &path[depth..]),
        }
    }
    (node, &[])
}

fn replaced(text: &Text<'_>, node: &Node, value: &str) -> Vec<String> {
    let Some(from) = text.offset(node.place) else { return Vec::new() };
    let end = scalar_end(text.all(), from, node);
    end.map(|end| text.splice(from, end, value)).into_iter().collect()
}

/// A new key of a map, with maps below it for the rest of the path.
fn inserted(text: &Text<'_>, map: &Node, missing: &[At], value: &str) -> Vec<String> {
    let keys: Option<Vec<String>> = missing
        .iter()
        .map(|at| match at {
            At::Key(name) => Some(key(name)),
            At::Index(_) => None,
        })
        .collect();
    let (Some(keys), Value::Map(entries), Some(from)) = (keys, &map.value, text.offset(map.place)) else {
        return Vec::new();
    };
    if text.all()[from..].starts_with('{') {
        return Flow::SPACED.insert(text, from, '}', &Flow::SPACED.nested(&keys, value));
    }
    let Some(column) = entries.first().map(|first| first.place.column as usize - 1) else { return Vec::new() };
    let lines = nested_block(&keys, value, column, text.ending());
    ends(text, entries).into_iter().map(|line| text.insert_after(line, &lines)).collect()
}

/// The lines on which the entries of a block map end, from the last to the first.
fn ends(text: &Text<'_>, entries: &[Entry]) -> Vec<usize> {
    let mut ends: Vec<usize> = entries
        .iter()
        .map(|entry| {
            let is_list = matches!(entry.node.value, Value::List(_));
            text.block_end(line_of_key(entry), entry.place.column as usize - 1, is_list)
        })
        .collect();
    ends.reverse();
    ends
}

fn added(text: &Text<'_>, list: &Node, entry: &str) -> Vec<String> {
    let (Value::List(nodes), Some(from)) = (&list.value, text.offset(list.place)) else { return Vec::new() };
    if text.all()[from..].starts_with('[') {
        return Flow::SPACED.insert(text, from, ']', entry);
    }
    let last = nodes.last().map(|node| node.place.line as usize - 1);
    let candidate = last.and_then(|line| {
        let dash = text.line(line).find('-')?;
        let new = format!("{}- {entry}{}", " ".repeat(dash), text.ending());
        Some(text.insert_after(line, &new))
    });
    candidate.into_iter().collect()
}

/// Without the entries of this name, one after the other.
fn dropped(text: &Text<'_>, root: &Node, path: &[At], name: &str) -> Vec<String> {
    let mut now = text.all().to_owned();
    let mut node = root.clone();
    loop {
        let (list, missing) = walk(&node, path);
        let Value::List(nodes) = &list.value else { return Vec::new() };
        if !missing.is_empty() {
            return Vec::new();
        }
        let is_it = |node: &Node| node.value == Value::Text(name.to_owned());
        let Some(index) = nodes.iter().position(is_it) else { return vec![now] };
        let Some(shorter) = without(&Text::new(&now), &node, path, nodes, index) else { return Vec::new() };
        let Ok(read) = read_lean("", shorter.as_bytes()) else { return Vec::new() };
        (now, node) = (shorter, read);
    }
}

fn without(text: &Text<'_>, root: &Node, path: &[At], nodes: &[Node], index: usize) -> Option<String> {
    let node = nodes.get(index)?;
    let from = text.offset(node.place)?;
    let line = node.place.line as usize - 1;
    let is_block = text.line(line).trim_start().starts_with("- ");
    if !is_block {
        let end = scalar_end(text.all(), from, node)?;
        return match (nodes.get(index + 1), index.checked_sub(1).and_then(|before| nodes.get(before))) {
            (Some(next), _) => Some(text.splice(from, text.offset(next.place)?, "")),
            (None, Some(before)) => {
                let kept = scalar_end(text.all(), text.offset(before.place)?, before)?;
                Some(text.splice(kept, end, ""))
            }
            (None, None) => Some(text.splice(from, end, "")),
        };
    }
    let without = text.remove_line(line);
    if nodes.len() > 1 {
        return Some(without);
    }
    // A key with nothing behind it is no list, so an empty one is written.
    let (At::Key(last), way) = path.split_last()? else { return None };
    let (map, _) = walk(root, way);
    let Value::Map(entries) = &map.value else { return None };
    let entry = entries.iter().find(|entry| entry.key == *last)?;
    let from = text.offset(entry.place)?;
    let colon = from + text.all()[from..].find(':')? + 1;
    let without = Text::new(&without);
    Some(without.splice(colon, colon, " []"))
}
