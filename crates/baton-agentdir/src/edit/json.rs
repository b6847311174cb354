//! Steps on the text of a JSON file with comments.

use super::{
    step::{At, Step},
    text::{Flow, Text, flow_end},
    yaml::walk,
};
use crate::document::read_json_lean;
use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode},
};
use serde_json::Value;

const BOM: char = '\u{feff}';

/// Takes the step where the outcome is good; `None` when there is no such place.
pub(super) fn take(text: &str, step: &Step, is_good: &dyn Fn(&str) -> bool) -> Option<String> {
    let (mark, text) = match text.strip_prefix(BOM) {
        Some(text) => (Some(BOM), text),
        None => (None, text),
    };
    let marked = |text: String| mark.into_iter().collect::<String>() + &text;
    let mut ways = [in_line, by_tree].into_iter().filter_map(|way| way(text, step).map(marked));
    ways.find(|text| is_good(text))
}

/// A new key of a map that stands on one line stays on that line.
fn in_line(text: &str, step: &Step) -> Option<String> {
    let root = read_json_lean("", text.as_bytes()).ok()?;
    let (map, missing) = walk(&root, step.path());
    let quoted = |text: &str| Value::from(text).to_string();
    let value = match step {
        Step::Set(_, value) => value.to_string(),
        Step::Add(_, name) => format!("[{}]", quoted(name)),
        Step::Drop(..) => return None,
    };
    let keys: Option<Vec<String>> = missing
        .iter()
        .map(|at| match at {
            At::Key(key) => Some(quoted(key)),
            At::Index(_) => None,
        })
        .collect();
    let keys = keys.filter(|keys| !keys.is_empty())?;
    let text = Text::new(text);
    let from = text.offset(map.place)?;
    let written = &text.all()[from..flow_end(text.all(), from, '}')?];
    if written.contains('\n') {
        return None;
    }
    let flow = if written.contains("\": ") { Flow::SPACED } else { Flow::COMPACT };
    flow.insert(&text, from, '}', &flow.nested(&keys, &value)).into_iter().next()
}

fn by_tree(text: &str, step: &Step) -> Option<String> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
    let (At::Key(last), way) = step.path().split_last()? else { return None };
    let map = way.iter().try_fold(root.object_value()?, |map, at| match at {
        At::Key(key) => below(&map, key),
        At::Index(_) => None,
    })?;
    match step {
        Step::Set(_, value) => {
            let value = input(value)?;
            match map.get(last) {
                Some(entry) => entry.set_value(value),
                None => drop(map.append(last, value)),
            }
        }
        Step::Add(_, name) => match map.get(last) {
            Some(entry) => drop(entry.array_value()?.append(name.as_str().into())),
            None => drop(map.append(last, CstInputValue::Array(vec![name.as_str().into()]))),
        },
        Step::Drop(_, name) => without(&map.get(last)?.array_value()?, name)?,
    }
    Some(root.to_string())
}

/// The map under a key, made when it is missing.
fn below(map: &CstObject, key: &str) -> Option<CstObject> {
    match map.get(key) {
        Some(entry) => entry.object_value(),
        None => Some(map.object_value_or_set(key)),
    }
}

fn input(value: &Value) -> Option<CstInputValue> {
    match value {
        Value::Bool(value) => Some((*value).into()),
        Value::Number(number) => Some(CstInputValue::Number(number.to_string())),
        Value::String(text) => Some(text.as_str().into()),
        _ => None,
    }
}

/// Takes the entries out; a list on one line is written anew, so that no gap stays.
fn without(list: &CstArray, name: &str) -> Option<()> {
    let is_it = |node: &CstNode| text_of(node).as_deref() == Some(name);
    let elements = list.elements();
    if !list.to_string().contains('\n') && !list.to_string().contains("/*") {
        let kept: Option<Vec<String>> = elements.iter().filter(|node| !is_it(node)).map(text_of).collect();
        let kept = kept?.into_iter().map(CstInputValue::String).collect();
        let written = list.clone().replace_with(CstInputValue::Array(kept));
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
