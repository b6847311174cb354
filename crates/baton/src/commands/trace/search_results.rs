//! Search results as a table.

use super::{
    formatting::{columns, counted, duration, fit, moment, padded, plain, quoted, right_aligned},
    terminal_style::TerminalStyle,
};
use baton_client::{SpanHit, SpansetHit, TraceHit};
use baton_types::SpanValue;

/// Attributes that have their own column, or are not worth showing.
const COLUMN_ATTRIBUTES: &[&str] = &["name", "duration", "span:name", "span:duration", "status", "span:status"];
const MAX_NAME_WIDTH: usize = 40;
const MIN_NAME_WIDTH: usize = 12;
/// Below this width, span counts are omitted in favor of names.
const WIDE_LAYOUT_WIDTH: usize = 120;

/// Traces, newest first, each with its matching spans.
pub(super) fn lines(traces: &[TraceHit], look: &TerminalStyle) -> Vec<String> {
    let spans = || traces.iter().flat_map(|trace| &trace.spansets).flat_map(|set| &set.spans);
    let name = spans().map(|span| columns(&shown_name(span))).max().unwrap_or(0).min(MAX_NAME_WIDTH);
    let mut lines = Vec::new();
    for (index, trace) in traces.iter().enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        lines.push(head(trace, look));
        for set in &trace.spansets {
            lines.extend(spanset_line(set, look));
            lines.extend(set.spans.iter().map(|span| line(trace, span, name, look)));
            let left = set.matched.saturating_sub(set.spans.len() as u64);
            if left > 0 {
                let more = format!(
                    "  {} {} matched; use --spans to show more",
                    look.glyphs.folded,
                    counted(left, "more span")
                );
                lines.push(look.paint.faint(&more));
            }
        }
    }
    lines
}

/// Head line of a trace: start, id, service, root span, duration and errors.
fn head(trace: &TraceHit, look: &TerminalStyle) -> String {
    let paint = look.paint;
    let service = if trace.root_service.is_empty() { "?" } else { &trace.root_service };
    let root = if trace.root_name.is_empty() { "(root span not received)" } else { &trace.root_name };
    let (spans, errors) = trace.services.values().fold((0, 0), |sum, stats| (sum.0 + stats.0, sum.1 + stats.1));
    let took = match trace.duration_ms {
        0 => "<1ms".to_owned(),
        millis => duration(millis.saturating_mul(1_000_000)),
    };
    let failed = format!("{} {}", look.glyphs.error, counted(errors, "error"));
    let facts: Vec<String> = [
        Some(took),
        (spans > 0 && look.width >= WIDE_LAYOUT_WIDTH).then(|| counted(spans, "span")),
        (errors > 0).then(|| failed.clone()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let others = trace.services.keys().filter(|name| **name != trace.root_service).count();
    let others = if others > 0 { format!(" and {}", counted(others as u64, "other")) } else { String::new() };
    let service = fit(&format!("{service}{others}"), MAX_NAME_WIDTH, look.glyphs.more);
    let (when, facts) = (format_seconds(trace.start), facts.join(look.glyphs.between));
    let used = columns(&when) + trace.id.len() + columns(&service) + columns(&facts) + 8;
    let root = fit(root, look.width.saturating_sub(used).clamp(MIN_NAME_WIDTH, MAX_NAME_WIDTH), look.glyphs.more);
    let facts = facts.replace(&failed, &paint.bad(&failed));
    format!("{}  {}  {service}  {}  {facts}", paint.faint(&when), paint.strong(&trace.id), paint.name(&root))
}

/// Timestamp with second precision.
fn format_seconds(nanos: u64) -> String {
    let text = moment(nanos);
    text.split_once('.').map_or(text.clone(), |(seconds, _)| seconds.to_owned())
}

/// Group and aggregate values of a spanset.
fn spanset_line(set: &SpansetHit, look: &TerminalStyle) -> Option<String> {
    if set.attributes.is_empty() {
        return None;
    }
    let pairs: Vec<String> = set.attributes.iter().map(|(key, value)| format!("{key} = {}", quoted(value))).collect();
    let text = format!("  {}: {}", pairs.join(", "), counted(set.matched, "span"));
    Some(look.paint.strong(&fit(&text, look.width, look.glyphs.more)))
}

fn shown_name(span: &SpanHit) -> String {
    if span.name.is_empty() { "(no name)".to_owned() } else { span.name.clone() }
}

/// One matching span: start offset, name, duration and the attributes named in the query.
fn line(trace: &TraceHit, span: &SpanHit, width: usize, look: &TerminalStyle) -> String {
    let after = format!("+{}", duration(span.start.saturating_sub(trace.start)));
    let status = span.attributes.iter().find(|(key, _)| key == "status" || key == "span:status");
    let failed = status.is_some_and(|(_, value)| plain(value) == "error");
    let mark = if failed { look.glyphs.error } else { " " };
    let name = padded(&fit(&shown_name(span), width, look.glyphs.more), width);
    let name = if failed { look.paint.bad(&name) } else { name };
    let lead = format!("  {} {mark} {name}  {}", right_aligned(&after, 8), right_aligned(&duration(span.duration), 7));
    let plain_lead = 2 + 8 + 1 + columns(mark) + 1 + width + 2 + 7;
    let shown = |pair: &&(String, SpanValue)| !COLUMN_ATTRIBUTES.contains(&pair.0.as_str());
    let pairs: Vec<String> =
        span.attributes.iter().filter(shown).map(|(key, value)| format!("{key}={}", quoted(value))).collect();
    let room = look.width.saturating_sub(plain_lead + 2).max(20);
    let pairs = fit(&pairs.join("  "), room.max(look.width / 2), look.glyphs.more);
    format!("{lead}  {}", look.paint.faint(&pairs)).trim_end().to_owned()
}
