//! Text output of the transcript: messages, tool calls, handoffs and approvals.

use super::{
    facts,
    look::Look,
    messages::unquoted,
    rows::Fold,
    story::{Entry, Tone, story},
    tree::Tree,
    words::{count, counted, duration, fit, right, wrapped},
};

/// Maximum number of entries.
const MOST_ENTRIES: usize = 200;
/// Maximum number of lines per text.
const MOST_LINES: usize = 12;
/// Maximum number of consecutive entries that differ only in time.
const MOST_ALIKE: usize = 3;
/// Indentation below the time column.
const MARGIN: &str = "          ";

/// Lines of the transcript; empty if there are no entries.
pub(crate) fn lines(tree: &Tree<'_>, fold: Fold, look: &Look) -> Vec<String> {
    let entries = story(tree, look.glyphs);
    let (entries_shown, lines_shown) = match fold {
        Fold::Repeated => (MOST_ENTRIES, MOST_LINES),
        Fold::Nothing => (usize::MAX, usize::MAX),
    };
    let mut lines = Vec::new();
    let (mut shown, mut left) = (0, 0);
    for alike in entries.chunk_by(is_same) {
        let room = if fold == Fold::Nothing { usize::MAX } else { MOST_ALIKE };
        let few = alike.len().min(room).min(entries_shown - shown);
        shown += few;
        for entry in &alike[..few] {
            lines.extend(told(entry, tree.start, lines_shown, look));
        }
        match alike.len() - few {
            0 => {}
            more if few > 0 => lines.push(format!("{MARGIN}{} repeated {} more times", look.glyphs.folded, count(more as u64))),
            more => left += more,
        }
    }
    if left > 0 {
        let more = counted(left as u64, "more step");
        lines.push(look.paint.warn(&format!("{} {more}; use --all to show them", look.glyphs.folded)));
    }
    if !has_content(tree) && is_of_agents(tree) {
        let why = "These spans have no message content. To record it, set telemetry.capture_content in baton.yaml.";
        lines.extend(wrapped(why, look.width, MOST_LINES).iter().map(|line| look.paint.faint(line)));
    }
    lines
}

/// Whether two entries without a body differ only in time.
fn is_same(one: &Entry, other: &Entry) -> bool {
    one.body.is_empty() && other.body.is_empty() && one.head == other.head && one.depth == other.depth
}

fn told(entry: &Entry, start: u64, most: usize, look: &Look) -> Vec<String> {
    let time = format!("+{}", duration(entry.at.saturating_sub(start)));
    let indent = "  ".repeat(entry.depth.min(10));
    let room = look.width.saturating_sub(MARGIN.len() + indent.len() + 2);
    let took = entry.took.map(|took| format!(", {}", duration(took))).unwrap_or_default();
    let head = fit(&entry.head, (room + 2).saturating_sub(took.len()), look.glyphs.more);
    let head = match entry.tone {
        Tone::Plain => head,
        Tone::Speech => look.paint.name(&head),
        Tone::Question => look.paint.warn(&head),
        Tone::Bad => look.paint.bad(&head),
    };
    let mut lines = vec![format!(
        "{}  {indent}{head}{}",
        look.paint.faint(&right(&time, MARGIN.len() - 2)),
        look.paint.faint(&took)
    )];
    let body = wrapped(&unquoted(&entry.body), room, most);
    lines.extend(body.iter().map(|line| format!("{MARGIN}{indent}  {line}")));
    lines
}

/// Whether any span has recorded message content.
fn has_content(tree: &Tree<'_>) -> bool {
    const CONTENT: &[&str] = &[
        baton_telemetry::names::GEN_AI_INPUT_MESSAGES,
        baton_telemetry::names::GEN_AI_OUTPUT_MESSAGES,
        baton_telemetry::names::GEN_AI_TOOL_CALL_ARGUMENTS,
        baton_telemetry::names::GEN_AI_TOOL_CALL_RESULT,
    ];
    let is_handoff = |operation: &str| operation == baton_telemetry::names::operation::HANDOFF_REQUEST;
    tree.nodes.iter().any(|node| !is_handoff(facts::operation(node.span)) && facts::text(node.span, CONTENT).is_some())
}

/// Whether any span could have message content.
fn is_of_agents(tree: &Tree<'_>) -> bool {
    tree.nodes.iter().any(|node| matches!(facts::operation(node.span), "chat" | "execute_tool" | "invoke_agent"))
}
