//! Text output of one trace.

use super::{
    formatting::{columns, duration, fit, moment},
    rows::Fold,
    terminal_style::TerminalStyle,
    totals::TraceTotals,
    transcript,
    tree::TraceTree,
    waterfall::{self, WaterfallDetail},
};
use baton_types::Span;

/// Below this width, the header takes two lines.
const WIDE_LAYOUT_WIDTH: usize = 90;

/// All lines for a trace.
pub(super) fn lines(spans: &[Span], fold: Fold, detail: WaterfallDetail, look: &TerminalStyle) -> Vec<String> {
    let tree = TraceTree::new(spans);
    let totals = TraceTotals::from_tree(&tree);
    let Some(first) = spans.first() else { return Vec::new() };
    let services = totals.services().iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let id = first.trace.to_string();
    let when = format!("{} UTC  {}", moment(tree.start), duration(tree.duration()));
    let is_wide = look.width >= WIDE_LAYOUT_WIDTH;
    let used = if is_wide { "trace ".len() + id.len() + 2 } else { 0 } + columns(&when) + 2;
    let services = look.paint.faint(&fit(&services, look.width.saturating_sub(used), look.glyphs.more));
    let id = look.paint.strong(&id);
    let mut lines = match is_wide {
        true => vec![format!("trace {id}  {when}  {services}")],
        false => vec![format!("trace {id}"), format!("{when}  {services}")],
    };
    lines.push(String::new());
    lines.extend(waterfall::lines(&tree, &totals, fold, detail, look));
    lines.push(String::new());
    lines.extend(totals.lines(&tree, look));
    let transcript_lines = transcript::lines(&tree, fold, look);
    if !transcript_lines.is_empty() {
        lines.push(String::new());
        lines.push(look.paint.strong("transcript"));
        lines.extend(transcript_lines);
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}
