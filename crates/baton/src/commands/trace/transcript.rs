//! Text output of the transcript: messages, tool calls, handoffs and approvals.

use super::{
    formatting::{count, counted, duration, fit, right_aligned, wrap},
    messages::unquoted,
    rows::Fold,
    span_attributes,
    terminal_style::TerminalStyle,
    transcript_builder::{EntryTone, TranscriptEntry, transcript_entries},
    tree::TraceTree,
};

/// Maximum number of entries.
const MAX_ENTRIES: usize = 200;
/// Maximum number of lines per text.
const MAX_TEXT_LINES: usize = 12;
/// Maximum number of consecutive entries that differ only in time.
const MAX_REPEATS: usize = 3;
/// Indentation below the time column.
const MARGIN: &str = "          ";

/// Lines of the transcript; empty if there are no entries.
pub(crate) fn lines(tree: &TraceTree<'_>, fold: Fold, look: &TerminalStyle) -> Vec<String> {
    let entries = transcript_entries(tree, look.glyphs);
    let (entries_shown, lines_shown) = match fold {
        Fold::Repeated => (MAX_ENTRIES, MAX_TEXT_LINES),
        Fold::Nothing => (usize::MAX, usize::MAX),
    };
    let mut lines = Vec::new();
    let (mut shown, mut left) = (0, 0);
    for alike in entries.chunk_by(is_same) {
        let room = if fold == Fold::Nothing { usize::MAX } else { MAX_REPEATS };
        let few = alike.len().min(room).min(entries_shown - shown);
        shown += few;
        for entry in &alike[..few] {
            lines.extend(entry_lines(entry, tree.start, lines_shown, look));
        }
        match alike.len() - few {
            0 => {}
            more if few > 0 => {
                lines.push(format!("{MARGIN}{} repeated {} more times", look.glyphs.folded, count(more as u64)));
            }
            more => left += more,
        }
    }
    if left > 0 {
        let more = counted(left as u64, "more step");
        lines.push(look.paint.warn(&format!("{} {more}; use --all to show them", look.glyphs.folded)));
    }
    if !has_content(tree) && has_agent_spans(tree) {
        let note = "These spans have no message content. To record it, set telemetry.capture_content in baton.yaml.";
        lines.extend(wrap(note, look.width, MAX_TEXT_LINES).iter().map(|line| look.paint.faint(line)));
    }
    lines
}

/// Whether two entries without a body differ only in time.
fn is_same(one: &TranscriptEntry, other: &TranscriptEntry) -> bool {
    one.body.is_empty() && other.body.is_empty() && one.head == other.head && one.depth == other.depth
}

fn entry_lines(entry: &TranscriptEntry, start: u64, max_lines: usize, look: &TerminalStyle) -> Vec<String> {
    let time = format!("+{}", duration(entry.at.saturating_sub(start)));
    let indent = "  ".repeat(entry.depth.min(10));
    let room = look.width.saturating_sub(MARGIN.len() + indent.len() + 2);
    let took = entry.took.map(|took| format!(", {}", duration(took))).unwrap_or_default();
    let head = fit(&entry.head, (room + 2).saturating_sub(took.len()), look.glyphs.more);
    let head = match entry.tone {
        EntryTone::Plain => head,
        EntryTone::Speech => look.paint.name(&head),
        EntryTone::Question => look.paint.warn(&head),
        EntryTone::Bad => look.paint.bad(&head),
    };
    let mut lines = vec![format!(
        "{}  {indent}{head}{}",
        look.paint.faint(&right_aligned(&time, MARGIN.len() - 2)),
        look.paint.faint(&took)
    )];
    let body = wrap(&unquoted(&entry.body), room, max_lines);
    lines.extend(body.iter().map(|line| format!("{MARGIN}{indent}  {line}")));
    lines
}

/// Whether any span has recorded message content.
fn has_content(tree: &TraceTree<'_>) -> bool {
    const CONTENT: &[&str] = &[
        baton_telemetry::names::GEN_AI_INPUT_MESSAGES,
        baton_telemetry::names::GEN_AI_OUTPUT_MESSAGES,
        baton_telemetry::names::GEN_AI_TOOL_CALL_ARGUMENTS,
        baton_telemetry::names::GEN_AI_TOOL_CALL_RESULT,
    ];
    let is_handoff = |operation: &str| operation == baton_telemetry::names::operation::HANDOFF_REQUEST;
    tree.nodes.iter().any(|node| {
        !is_handoff(span_attributes::operation(node.span)) && span_attributes::text(node.span, CONTENT).is_some()
    })
}

/// Whether any span could have message content.
fn has_agent_spans(tree: &TraceTree<'_>) -> bool {
    tree.nodes
        .iter()
        .any(|node| matches!(span_attributes::operation(node.span), "chat" | "execute_tool" | "invoke_agent"))
}
