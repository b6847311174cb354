//! Writes values as YAML: multi-line text as block scalars, quotes only where they are needed.

use super::super::text::{is_printable, key, plain_or_quoted, quoted_text};
use baton_document::{DocumentNode, NodeEntry, NodeValue};

/// Text after the colon of a key at this column, without the final line break; lines end with `\n`.
pub(super) fn behind_key(node: &DocumentNode, column: usize) -> String {
    let pad = " ".repeat(column + 2);
    match &node.value {
        NodeValue::Map(entries) if !entries.is_empty() => entries
            .iter()
            .map(|entry| format!("\n{pad}{}:{}", key(&entry.key), behind_key(&entry.node, column + 2)))
            .collect(),
        NodeValue::List(nodes) if !nodes.is_empty() => {
            nodes.iter().map(|node| format!("\n{pad}-{}", behind_dash(node, column + 2))).collect()
        }
        _ => scalar(node, column),
    }
}

/// Text after a dash at this column.
pub(super) fn behind_dash(node: &DocumentNode, column: usize) -> String {
    match &node.value {
        NodeValue::Map(entries) if !entries.is_empty() => {
            let line = |entry: &NodeEntry| format!("{}:{}", key(&entry.key), behind_key(&entry.node, column + 2));
            let lines: Vec<String> = entries.iter().map(line).collect();
            format!(" {}", lines.join(&format!("\n{}", " ".repeat(column + 2))))
        }
        NodeValue::List(_) => format!(" {}", in_brackets(node)),
        _ => scalar(node, column),
    }
}

/// A key and its value on one line, with a line break.
pub(in super::super) fn header_line(name: &str, node: &DocumentNode) -> String {
    match &node.value {
        NodeValue::Text(text) => format!("{}: {}\n", key(name), plain_or_quoted(text)),
        _ => format!("{}: {}\n", key(name), in_brackets(node)),
    }
}

fn scalar(node: &DocumentNode, column: usize) -> String {
    match &node.value {
        NodeValue::Text(text) => block_text(text, column + 2).unwrap_or_else(|| format!(" {}", plain_or_quoted(text))),
        _ => format!(" {}", in_brackets(node)),
    }
}

/// Multi-line text as a block scalar; `None` if a line cannot be written verbatim.
fn block_text(text: &str, column: usize) -> Option<String> {
    let body = text.trim_end_matches('\n');
    let has_only_good_lines = body.split('\n').all(|line| line.is_empty() || !line.trim().is_empty());
    let is_good = text.contains('\n')
        && !body.is_empty()
        && !body.starts_with([' ', '\t', '\n'])
        && has_only_good_lines
        && text.chars().all(|c| matches!(c, '\n' | '\t') || is_printable(c));
    // More than one trailing line break would need invisible blank lines.
    let sign = match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => return None,
    };
    let pad = " ".repeat(column);
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("\n{pad}{line}") };
    is_good.then(|| format!(" {sign}{}", body.split('\n').map(line).collect::<String>()))
}

/// A value on one line, with quotes only where they are needed.
pub(super) fn in_brackets(node: &DocumentNode) -> String {
    match &node.value {
        NodeValue::Text(text) => plain_or_quoted(text),
        NodeValue::List(nodes) => format!("[{}]", nodes.iter().map(in_brackets).collect::<Vec<_>>().join(", ")),
        NodeValue::Map(entries) => {
            let entry = |entry: &NodeEntry| format!("{}: {}", key(&entry.key), in_brackets(&entry.node));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => one_line(node),
    }
}

/// A value on one line, valid in both JSON and YAML.
pub(in super::super) fn one_line(node: &DocumentNode) -> String {
    match &node.value {
        NodeValue::Text(text) => quoted_text(text),
        NodeValue::List(nodes) => format!("[{}]", nodes.iter().map(one_line).collect::<Vec<_>>().join(", ")),
        NodeValue::Map(entries) => {
            let entry = |entry: &NodeEntry| format!("{}: {}", quoted_text(&entry.key), one_line(&entry.node));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => node.to_json().to_string(),
    }
}
