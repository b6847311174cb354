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

use super::step::{EditStep, PathElement, list};
use baton_document::{DocumentNode, NodeEntry, NodeValue, read_lean};

/// Applies the step with the first candidate that `is_good` accepts; `None` if there is none.
pub(super) fn apply_step(text: &str, step: &EditStep, is_good: &dyn Fn(&str) -> bool) -> Option<String> {
    let root = read_lean("", text.as_bytes()).ok()?;
    let text = super::text::LineText::new(text);
    let (found, missing) = walk(&root, step.path());
    let candidates = match step {
        EditStep::Set(path, value) if missing.is_empty() => replace::replace_value(&text, &root, path, value),
        EditStep::Set(path, value) => insert::insert_key(&text, &root, path, value),
        EditStep::Add(path, value) if missing.is_empty() => insert::append_entry(&text, &root, path, found, value),
        EditStep::Add(path, value) => insert::insert_key(&text, &root, path, &list(vec![value.clone()])),
        EditStep::Drop(path, name) => remove::remove_text_entries(&text, &root, path, name),
        EditStep::Remove(path) => remove::remove_entry(&text, &root, path),
    };
    candidates.into_iter().find(|candidate| is_good(candidate))
}

/// The deepest existing value on the path, and the missing rest of the path.
pub(super) fn walk<'a, 'p>(root: &'a DocumentNode, path: &'p [PathElement]) -> (&'a DocumentNode, &'p [PathElement]) {
    let mut node = root;
    for (depth, at) in path.iter().enumerate() {
        let next = match (at, &node.value) {
            (PathElement::Key(key), NodeValue::Map(entries)) => {
                entries.iter().find(|entry| entry.key == *key).map(|e| &e.node)
            }
            (PathElement::Index(index), NodeValue::List(nodes)) => nodes.get(*index),
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
fn entry_at<'a>(root: &'a DocumentNode, path: &[PathElement]) -> Option<&'a NodeEntry> {
    let (PathElement::Key(last), way) = path.split_last()? else { return None };
    let (map, missing) = walk(root, way);
    let NodeValue::Map(entries) = &map.value else { return None };
    entries.iter().find(|entry| entry.key == *last).filter(|_| missing.is_empty())
}
