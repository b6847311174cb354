//! Applies steps to the text of a JSON file with comments.

use super::{
    step::{EditStep, PathElement},
    text::{FlowStyle, LineText, flow_end},
    yaml::{one_line, walk},
};
use baton_document::{DocumentNode, NodeValue as Written, read_json_lean};
use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstRootNode},
};
use serde_json::Value;

const BOM: char = '\u{feff}';

/// Applies the step with the first result that `is_good` accepts; `None` if there is none.
pub(super) fn apply_step(text: &str, step: &EditStep, is_good: &dyn Fn(&str) -> bool) -> Option<String> {
    let (mark, text) = match text.strip_prefix(BOM) {
        Some(text) => (Some(BOM), text),
        None => (None, text),
    };
    let marked = |text: String| mark.into_iter().collect::<String>() + &text;
    let mut ways = [in_line, by_tree].into_iter().filter_map(|way| way(text, step).map(marked));
    ways.find(|text| is_good(text))
}

/// A new key of a single-line map stays on that line.
fn in_line(text: &str, step: &EditStep) -> Option<String> {
    let root = read_json_lean("", text.as_bytes()).ok()?;
    let (map, missing) = walk(&root, step.path());
    let quoted = |text: &str| Value::from(text).to_string();
    let value = match step {
        EditStep::Set(_, node) | EditStep::Add(_, node) if matches!(node.value, Written::Map(_) | Written::List(_)) => {
            return None;
        }
        EditStep::Set(_, node) => one_line(node),
        EditStep::Add(_, node) => format!("[{}]", one_line(node)),
        EditStep::Drop(..) | EditStep::Remove(_) => return None,
    };
    let keys: Option<Vec<String>> = missing
        .iter()
        .map(|at| match at {
            PathElement::Key(key) => Some(quoted(key)),
            PathElement::Index(_) => None,
        })
        .collect();
    let keys = keys.filter(|keys| !keys.is_empty())?;
    let text = LineText::new(text);
    let from = text.offset(map.location)?;
    let written = &text.all()[from..flow_end(text.all(), from, '}')?];
    if written.contains('\n') {
        return None;
    }
    let flow = if written.contains("\": ") { FlowStyle::SPACED_STYLE } else { FlowStyle::COMPACT_STYLE };
    flow.insert(&text, from, '}', &flow.nested(&keys, &value)).into_iter().next()
}

fn by_tree(text: &str, step: &EditStep) -> Option<String> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
    let (last, way) = step.path().split_last()?;
    let parent = way.iter().try_fold(root.value()?, |node, at| below(&node, at))?;
    let last = match (step, last) {
        (EditStep::Remove(_), PathElement::Index(index)) => {
            parent.as_array()?.elements().into_iter().nth(*index)?.remove();
            return Some(root.to_string());
        }
        (_, PathElement::Index(_)) => return None,
        (_, PathElement::Key(key)) => key,
    };
    let map = parent.as_object()?;
    match step {
        EditStep::Set(_, node) => match map.get(last) {
            Some(entry) => entry.set_value(input(node)),
            None => drop(map.append(last, input(node))),
        },
        EditStep::Add(_, node) => match map.get(last) {
            Some(entry) => drop(entry.array_value()?.append(input(node))),
            None => drop(map.append(last, CstInputValue::Array(vec![input(node)]))),
        },
        EditStep::Drop(_, name) => without(&map.get(last)?.array_value()?, name)?,
        EditStep::Remove(_) => map.get(last)?.remove(),
    }
    Some(root.to_string())
}

/// The value of a key, created as a map if it is missing, or the entry of a list.
fn below(node: &CstNode, at: &PathElement) -> Option<CstNode> {
    match at {
        PathElement::Key(key) => {
            let map = node.as_object()?;
            match map.get(key) {
                Some(entry) => entry.value(),
                None => {
                    let object = map.object_value_or_set(key);
                    Some(CstNode::Container(CstContainerNode::Object(object)))
                }
            }
        }
        PathElement::Index(index) => node.as_array()?.elements().into_iter().nth(*index),
    }
}

fn input(node: &DocumentNode) -> CstInputValue {
    match &node.value {
        Written::Null => CstInputValue::Null,
        Written::Bool(value) => (*value).into(),
        Written::Number(number) => CstInputValue::Number(number.to_string()),
        Written::Text(text) => text.as_str().into(),
        Written::List(nodes) => CstInputValue::Array(nodes.iter().map(input).collect()),
        Written::Map(entries) => {
            CstInputValue::Object(entries.iter().map(|entry| (entry.key.clone(), input(&entry.node))).collect())
        }
    }
}

/// Removes the entries; a single-line list is rewritten to avoid gaps.
fn without(list: &CstArray, name: &str) -> Option<()> {
    let is_it = |node: &CstNode| text_of(node).as_deref() == Some(name);
    let elements = list.elements();
    if !list.to_string().contains('\n') && !list.to_string().contains("/*") {
        let remaining: Option<Vec<String>> = elements.iter().filter(|node| !is_it(node)).map(text_of).collect();
        let remaining = remaining?.into_iter().map(CstInputValue::String).collect();
        let written = list.clone().replace_with(CstInputValue::Array(remaining));
        return written.map(drop);
    }
    for element in elements.into_iter().filter(is_it) {
        element.remove();
    }
    Some(())
}

fn text_of(node: &CstNode) -> Option<String> {
    match node {
        CstNode::Container(CstContainerNode::Root(_)) => None,
        node => node.as_string_lit()?.decoded_value().ok(),
    }
}
