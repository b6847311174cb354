//! Extents of values in a YAML text.

use super::super::text::{LineText, flow_end, line_of_key, quoted_len, scalar_end};
use baton_document::{DocumentNode, NodeEntry, NodeValue};

/// The column of a key, from 0.
pub(super) fn column_of(entry: &NodeEntry) -> usize {
    (entry.location.column as usize).saturating_sub(1)
}

/// Whether a map or a list is in flow style.
pub(super) fn is_flow(text: &LineText<'_>, node: &DocumentNode) -> bool {
    text.offset(node.location).is_some_and(|from| text.all()[from..].starts_with(['{', '[']))
}

/// Byte offset after the colon of a key.
pub(super) fn behind_colon(text: &LineText<'_>, entry: &NodeEntry) -> Option<usize> {
    let from = text.offset(entry.location)?;
    let rest = &text.all()[from..];
    let length = match rest.chars().next()? {
        quote @ ('"' | '\'') => quoted_len(rest, quote)?,
        _ => rest.starts_with(entry.key.as_str()).then_some(entry.key.len())?,
    };
    let gap = rest[length..].find(|c: char| c != ' ')?;
    rest[length + gap..].starts_with(':').then_some(from + length + gap + 1)
}

/// Line and column of the dash of a list entry.
pub(super) fn dash_of(text: &LineText<'_>, node: &DocumentNode) -> Option<(usize, usize)> {
    let line = (node.location.line as usize).checked_sub(1)?;
    let column = (node.location.column as usize).checked_sub(1)?;
    let before: String = text.line(line).chars().take(column).collect();
    if let Some(dash) = before.rfind('-') {
        return before[dash + 1..].trim().is_empty().then_some((line, dash));
    }
    let lines = (0..line).rev().take_while(|_| before.trim().is_empty());
    for above in lines {
        let content = text.line(above).trim_start();
        if content == "-" || content.starts_with("- #") {
            return Some((above, text.line(above).len() - content.len()));
        }
        if !content.is_empty() && !content.starts_with('#') {
            return None;
        }
    }
    None
}

/// The last line of a value whose key or dash is on `line` at `indent`, from 0.
pub(super) fn last_line(text: &LineText<'_>, line: usize, indent: usize, node: &DocumentNode) -> usize {
    let by_indent = |is_list| text.block_end(line, indent, is_list);
    match &node.value {
        NodeValue::Map(_) | NodeValue::List(_) if is_flow(text, node) => {
            let close = if matches!(node.value, NodeValue::Map(_)) { '}' } else { ']' };
            let end = text.offset(node.location).and_then(|from| flow_end(text.all(), from, close));
            end.map_or_else(|| by_indent(false), |end| text.line_at(end))
        }
        NodeValue::Map(entries) => match entries.last() {
            Some(last) => last_line(text, line_of_key(last), column_of(last), &last.node),
            None => line,
        },
        NodeValue::List(nodes) => match nodes.last().and_then(|last| Some((last, dash_of(text, last)?))) {
            Some((last, (dash, column))) => last_line(text, dash, column, last),
            None => by_indent(true),
        },
        NodeValue::Text(_) => match block_text_end(text, line, indent) {
            Some(end) => end,
            None => match text.offset(node.location).and_then(|from| scalar_end(text.all(), from, node)) {
                Some(end) => text.line_at(end).max(line),
                None => by_indent(false),
            },
        },
        // Skipped embeddings below a key are read as null.
        NodeValue::Null => by_indent(true),
        NodeValue::Bool(_) | NodeValue::Number(_) => by_indent(false),
    }
}

/// The last non-blank line of a block scalar, as in `text: |`; `None` if there is no block scalar.
pub(super) fn block_text_end(text: &LineText<'_>, line: usize, indent: usize) -> Option<usize> {
    let header = block_header(text.line(line))?;
    let indent_of = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let explicit_column = header.bytes().find(u8::is_ascii_digit).map(|digit| indent + usize::from(digit - b'0'));
    let mut lines = (line + 1..text.lines()).map(|at| (at, text.line(at)));
    let first = lines.clone().find(|(_, content)| !content.trim().is_empty());
    let column = explicit_column.or(first.map(|(_, content)| indent_of(content))).filter(|column| *column > indent);
    let Some(column) = column else { return Some(line) };
    let mut end = line;
    for (at, content) in lines.by_ref() {
        if content.trim().is_empty() {
            continue;
        }
        if indent_of(content) < column {
            break;
        }
        end = at;
    }
    Some(end)
}

/// The block scalar header at the end of a line, such as `|-` or `>2`.
fn block_header(line: &str) -> Option<&str> {
    let line = line.find(" #").map_or(line, |at| &line[..at]).trim_end();
    let indicator = line.rsplit([' ', '\t']).next()?;
    let before = line[..line.len() - indicator.len()].trim_end();
    let is_sign = indicator.starts_with(['|', '>'])
        && indicator.len() <= 3
        && indicator[1..].chars().all(|c| c.is_ascii_digit() || c == '-' || c == '+');
    let is_behind_key = before.ends_with(':') || before.ends_with('-');
    (is_sign && is_behind_key).then_some(indicator)
}
