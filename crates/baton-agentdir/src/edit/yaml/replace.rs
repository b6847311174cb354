//! Replaces values.

use super::{
    super::{
        step::PathElement,
        text::{LineText, flow_end, line_of_key, scalar_end},
    },
    entry_at,
    extent::{behind_colon, block_text_end, column_of, is_flow, last_line},
    walk,
    write::{behind_key, in_brackets},
};
use baton_document::{DocumentNode, NodeEntry, NodeValue};

/// Candidates for replacing a value; those that keep more of the text come first.
pub(super) fn replace_value(
    text: &LineText<'_>,
    root: &DocumentNode,
    path: &[PathElement],
    value: &DocumentNode,
) -> Vec<String> {
    let (node, _) = walk(root, path);
    let short = in_brackets(value);
    let is_long = match &value.value {
        NodeValue::Text(text) => text.contains('\n'),
        NodeValue::Map(_) | NodeValue::List(_) => true,
        _ => false,
    };
    let in_place = || {
        let from = text.offset(node.location)?;
        Some(text.splice(from, value_end(text, from, node)?, &short))
    };
    let rewrite = || entry_at(root, path).and_then(|entry| rewrite_value(text, entry, value));
    let on_one_line = || entry_at(root, path).and_then(|entry| replace_after_key(text, entry, &format!(" {short}")));
    let ways = if is_long { [rewrite(), in_place(), on_one_line()] } else { [in_place(), rewrite(), None] };
    ways.into_iter().flatten().collect()
}

/// End offset of a value on one line or in flow style.
pub(super) fn value_end(text: &LineText<'_>, from: usize, node: &DocumentNode) -> Option<usize> {
    match &node.value {
        NodeValue::Map(_) if is_flow(text, node) => Some(flow_end(text.all(), from, '}')? + 1),
        NodeValue::List(_) if is_flow(text, node) => Some(flow_end(text.all(), from, ']')? + 1),
        _ => scalar_end(text.all(), from, node),
    }
}

/// The text with the value of a key rewritten; `None` if a comment would be lost.
pub(super) fn rewrite_value(text: &LineText<'_>, entry: &NodeEntry, value: &DocumentNode) -> Option<String> {
    replace_after_key(text, entry, &behind_key(value, column_of(entry)))
}

fn replace_after_key(text: &LineText<'_>, entry: &NodeEntry, new: &str) -> Option<String> {
    let (line, column) = (line_of_key(entry), column_of(entry));
    let from = behind_colon(text, entry)?;
    let is_block_text = matches!(entry.node.value, NodeValue::Text(_)) && block_text_end(text, line, column).is_some();
    let last = last_line(text, line, column, &entry.node);
    let end = text.end_of_line(last);
    let old = &text.all()[from..end];
    let has_comment = |line: &str| line.contains(" #") || line.trim_start().starts_with('#');
    let loses = if is_block_text { old.lines().take(1).any(has_comment) } else { old.lines().any(has_comment) };
    (!loses).then(|| text.splice(from, end, &new.replace('\n', text.line_ending())))
}
