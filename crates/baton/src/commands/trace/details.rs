//! Attributes, events and links of a span, below its row.

use super::{
    formatting::{columns, duration, fit, quoted},
    terminal_style::TerminalStyle,
    tree::TraceTree,
};
use baton_types::{AttributeKey, SpanValue};

/// Minimum width of a value, in columns.
const MIN_VALUE_WIDTH: usize = 20;

/// Lines for the span id, attributes, events, links and dropped counts.
pub(crate) fn lines(tree: &TraceTree<'_>, index: usize, rails: &str, look: &TerminalStyle) -> Vec<String> {
    let node = &tree.nodes[index];
    let span = node.span;
    let joint = if node.children.is_empty() { "  " } else { look.glyphs.rail };
    let rails = format!("{rails}{joint}  ");
    let room = look.width.saturating_sub(columns(&rails)).max(MIN_VALUE_WIDTH);
    let mut texts: Vec<String> = span.attributes.iter().map(|(key, value)| pair(key, value)).collect();
    texts.sort();
    texts.insert(0, format!("span {}", span.id));
    for event in &span.events {
        let at = duration(event.at.saturating_sub(span.start));
        texts.push(format!("event {} at +{at}{}", event.name, pairs(&event.attributes)));
    }
    for link in &span.links {
        texts.push(format!("link {} {}/{}{}", look.glyphs.to, link.trace, link.span, pairs(&link.attributes)));
    }
    let dropped = span.dropped.attributes + span.dropped.events + span.dropped.links;
    if dropped > 0 {
        texts.push(format!("({dropped} attributes, events and links were dropped before the span was received)"));
    }
    texts.iter().map(|text| look.paint.faint(&format!("{rails}{}", fit(text, room, look.glyphs.more)))).collect()
}

fn pair(key: &str, value: &SpanValue) -> String {
    format!("{key} = {}", quoted(value))
}

fn pairs(attributes: &[(AttributeKey, SpanValue)]) -> String {
    attributes.iter().map(|(key, value)| format!(" {key}={}", quoted(value))).collect()
}
