//! Applies steps to the text of a YAML file: common layouts, each tried at every possible position.
//!
//! This is not a complete YAML implementation. The caller checks each candidate text, so a position inside a comment or
//! a block scalar is rejected, and a file without a valid candidate stays unchanged.

mod extent;
mod insert;
mod remove;
mod replace;
mod write;

pub(super) use write::{header_line, one_line};

use super::step::{At, Step, list};
use crate::document::{Entry, Node, Value, read_lean};

/// Applies the step with the first candidate that `is_good` accepts; `None` if there is none.
pub(super) fn take(text: &str, step: &Step, is_good: &dyn Fn(&str) -> bool) -> Option<String> {
    let root = read_lean("", text.as_bytes()).ok()?;
    let text = super::text::Text::new(text);
    let (found, missing) = walk(&root, step.path());
    let candidates = match step {
        Step::Set(path, value) if missing.is_empty() => replace::replaced(&text, &root, path, value),
        Step::Set(path, value) => insert::inserted(&text, &root, path, value),
        Step::Add(path, value) if missing.is_empty() => insert::added(&text, &root, path, found, value),
        Step::Add(path, value) => insert::inserted(&text, &root, path, &list(vec![value.clone()])),
        Step::Drop(path, name) => remove::dropped(&text, &root, path, name),
        Step::Remove(path) => remove::removed(&text, &root, path),
    };
    candidates.into_iter().find(|candidate| is_good(candidate))
}

/// The deepest existing value on the path, and the missing rest of the path.
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

/// The entry of the last key of a path.
fn entry_at<'a>(root: &'a Node, path: &[At]) -> Option<&'a Entry> {
    let (At::Key(last), way) = path.split_last()? else { return None };
    let (map, missing) = walk(root, way);
    let Value::Map(entries) = &map.value else { return None };
    entries.iter().find(|entry| entry.key == *last).filter(|_| missing.is_empty())
}
