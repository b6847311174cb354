//! A trace as a waterfall: span tree with time, tokens, cost and a time bar.

use super::{
    details,
    formatting::{columns, count, counted, duration, fit, money, padded, right_aligned, short_count},
    rows::{Fold, FoldedSpans, RowContent, TreeRow, rows},
    span_attributes::{self, SpanTokens},
    terminal_style::TerminalStyle,
    totals::TraceTotals,
    tree::{SpanNode, TraceTree, TreeDefect},
};
use baton_types::{SpanKind, SpanStatus};

/// Minimum and maximum width of the bar; it is omitted below the minimum.
const MIN_BAR_WIDTH: usize = 12;
const MAX_BAR_WIDTH: usize = 72;
/// Minimum width of a name, in columns.
const MIN_LABEL_WIDTH: usize = 18;
/// Width at which names are readable.
const READABLE_LABEL_WIDTH: usize = 32;
/// Column separator.
const GAP: &str = "  ";

/// Whether attributes are listed below each span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaterfallDetail {
    /// Only the row.
    Row,
    /// The row and all attributes.
    Attributes,
}

/// Cells of a row.
struct WaterfallCells {
    label: String,
    time: String,
    tokens: String,
    cost: String,
}

/// Column widths; an empty column has width 0.
struct WaterfallWidths {
    label: usize,
    time: usize,
    tokens: usize,
    cost: usize,
    bar: usize,
}

/// Lines of the waterfall.
pub(crate) fn lines(
    tree: &TraceTree<'_>,
    totals: &TraceTotals,
    fold: Fold,
    detail: WaterfallDetail,
    look: &TerminalStyle,
) -> Vec<String> {
    let (rows, left) = rows(tree, fold, look.glyphs);
    let many = totals.services().len() > 1;
    let cells: Vec<WaterfallCells> = rows.iter().map(|row| cells(tree, row, many, look)).collect();
    let widths = WaterfallWidths::from_cells(&cells, totals, look);
    let mut lines = vec![look.paint.faint(&widths.head(tree))];
    for (row, cells) in rows.iter().zip(&cells) {
        lines.push(widths.line(tree, row, cells, look));
        if let RowContent::Span(index) = &row.content {
            lines.extend(error(&tree.nodes[*index], row, look));
            if detail == WaterfallDetail::Attributes {
                lines.extend(details::lines(tree, *index, &row.below, look));
            }
        }
    }
    if left > 0 {
        let more = counted(left, "more span");
        lines.push(look.paint.warn(&format!("{} {more}; use --all to show them", look.glyphs.folded)));
    }
    lines
}

fn cells(tree: &TraceTree<'_>, row: &TreeRow, many_services: bool, look: &TerminalStyle) -> WaterfallCells {
    let index = match &row.content {
        RowContent::Span(index) => *index,
        RowContent::Folded(folded) => {
            let label = format!("{}{} {}", row.rails, look.glyphs.folded, folded_summary(folded));
            let time = duration(folded.nanos);
            return WaterfallCells { label, time, tokens: String::new(), cost: String::new() };
        }
    };
    let node = &tree.nodes[index];
    let mark = look.glyphs.kinds[match node.span.kind {
        SpanKind::Unspecified => 0,
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    }];
    let failed = if node.span.status == SpanStatus::Error { format!("{} ", look.glyphs.error) } else { String::new() };
    let service = node.span.service().filter(|service| {
        let outer = node.parent.and_then(|parent| tree.nodes[parent].span.service());
        many_services && outer != Some(*service)
    });
    let service = service.map(|service| format!(" [{service}]")).unwrap_or_default();
    let odd = match node.defect {
        Some(TreeDefect::ParentMissing) => " (parent missing)",
        Some(TreeDefect::ParentCycle) => " (cycle)",
        None => "",
    };
    let name = if node.span.name.is_empty() { "(no name)" } else { &node.span.name };
    let tokens = span_attributes::tokens(node.span)
        .map(|SpanTokens { input, output }| format!("{}{}{}", short_count(input), look.glyphs.to, short_count(output)));
    WaterfallCells {
        label: format!("{}{mark} {failed}{name}{service}{odd}", row.rails),
        time: duration(node.span.duration()),
        tokens: tokens.unwrap_or_default(),
        cost: span_attributes::cost(node.span).map(money).unwrap_or_default(),
    }
}

/// Summary of folded spans: count and errors.
fn folded_summary(folded: &FoldedSpans) -> String {
    let mut text = match &folded.name {
        Some(name) => format!("{} more {name}", count(folded.siblings)),
        None => format!("{} with other names", counted(folded.siblings, "more span")),
    };
    if folded.spans > folded.siblings {
        text.push_str(&format!(", {} in all", counted(folded.spans, "span")));
    }
    if folded.errors > 0 {
        text.push_str(&format!(", {}", counted(folded.errors, "error")));
    }
    text
}

/// Error message of a span, below its row.
fn error(node: &SpanNode<'_>, row: &TreeRow, look: &TerminalStyle) -> Option<String> {
    let error = span_attributes::error(node.span)?;
    let joint = if node.children.is_empty() { "  " } else { look.glyphs.rail };
    let rails = format!("{}{joint}", row.below);
    let room = look.width.saturating_sub(columns(&rails) + 2).max(MIN_LABEL_WIDTH);
    let text = format!("{} {}", look.glyphs.error, fit(&error, room, look.glyphs.more));
    Some(format!("{}{}", look.paint.faint(&rails), look.paint.bad(&text)))
}

impl WaterfallWidths {
    fn from_cells(cells: &[WaterfallCells], totals: &TraceTotals, look: &TerminalStyle) -> Self {
        let widest =
            |cell: fn(&WaterfallCells) -> &str| cells.iter().map(|cells| columns(cell(cells))).max().unwrap_or(0);
        let head = |is_shown: bool, head: &str, widest: usize| if is_shown { widest.max(head.len()) } else { 0 };
        let time = widest(|cells| &cells.time).max("time".len());
        let mut tokens = head(totals.has_tokens(), "tokens", widest(|cells| &cells.tokens));
        let mut cost = head(totals.has_cost(), "cost", widest(|cells| &cells.cost));
        let label = widest(|cells| &cells.label).max("span".len());
        let used_width = |time: usize, tokens: usize, cost: usize| -> usize {
            [time, tokens, cost].iter().filter(|width| **width > 0).map(|width| width + GAP.len()).sum()
        };
        // In a narrow layout, readable names take precedence over numbers.
        let is_cramped = |used_width: usize| look.width.saturating_sub(used_width) < label.min(READABLE_LABEL_WIDTH);
        if is_cramped(used_width(time, tokens, cost)) {
            cost = 0;
        }
        if is_cramped(used_width(time, tokens, cost)) {
            tokens = 0;
        }
        let used_width = used_width(time, tokens, cost);
        let room = look.width.saturating_sub(used_width);
        // Names have priority, but the bar gets a third of the remaining width while the names stay distinguishable.
        let for_bar = (room / 3).clamp(MIN_BAR_WIDTH, MAX_BAR_WIDTH) + GAP.len();
        let max_label = match room.saturating_sub(for_bar) {
            remaining if remaining < MIN_LABEL_WIDTH => room,
            max_label => max_label,
        };
        let label = label.min(max_label);
        let bar = room.saturating_sub(label + GAP.len()).min(MAX_BAR_WIDTH);
        let bar = if bar < MIN_BAR_WIDTH { 0 } else { bar };
        Self { label, time, tokens, cost, bar }
    }

    fn head(&self, tree: &TraceTree<'_>) -> String {
        let mut line = padded("span", self.label);
        for (text, width) in [("time", self.time), ("tokens", self.tokens), ("cost", self.cost)] {
            if width > 0 {
                line.push_str(GAP);
                line.push_str(&right_aligned(text, width));
            }
        }
        if self.bar > 0 {
            let total = duration(tree.duration());
            line.push_str(GAP);
            line.push('0');
            line.push_str(&right_aligned(&total, self.bar - 1));
        }
        line.trim_end().to_owned()
    }

    fn line(&self, tree: &TraceTree<'_>, row: &TreeRow, cells: &WaterfallCells, look: &TerminalStyle) -> String {
        let paint = look.paint;
        let label = padded(&fit(&cells.label, self.label, look.glyphs.more), self.label);
        // Rails are faint. A truncated label may end within its rails.
        let label = match label.strip_prefix(row.rails.as_str()) {
            Some(name) => format!("{}{}", paint.faint(&row.rails), self.painted(tree, row, name, look)),
            None => label,
        };
        let mut line = format!("{label}{GAP}{}", right_aligned(&cells.time, self.time));
        for (text, width) in [(&cells.tokens, self.tokens), (&cells.cost, self.cost)] {
            if width > 0 {
                line.push_str(GAP);
                line.push_str(&right_aligned(text, width));
            }
        }
        if self.bar > 0
            && let RowContent::Span(index) = &row.content
        {
            line.push_str(GAP);
            line.push_str(&self.bar(tree, *index, look));
        }
        line.trim_end().to_owned()
    }

    fn painted(&self, tree: &TraceTree<'_>, row: &TreeRow, name: &str, look: &TerminalStyle) -> String {
        let RowContent::Span(index) = &row.content else { return look.paint.faint(name) };
        let span = tree.nodes[*index].span;
        match (span.status, span_attributes::operation(span)) {
            (SpanStatus::Error, _) => look.paint.bad(name),
            (_, "invoke_agent") => look.paint.strong(name),
            (_, "chat") => look.paint.name(name),
            (_, "handoff.request" | "approval" | "input") => look.paint.warn(name),
            _ => name.to_owned(),
        }
    }

    /// Time bar of a span.
    fn bar(&self, tree: &TraceTree<'_>, index: usize, look: &TerminalStyle) -> String {
        let node = &tree.nodes[index];
        let (pieces, total) = (look.glyphs.bar, u128::from(tree.duration().max(1)));
        let steps = pieces.len() as u128 * self.bar as u128;
        let offset = |moment: u64| u128::from(moment - tree.start) * steps / total;
        let per_column = pieces.len() as u128;
        let begin = (offset(node.start) / per_column).min(self.bar as u128 - 1);
        let end = offset(node.end).max(begin * per_column + 1);
        let length = (end - begin * per_column) as usize;
        let mut bar: String = std::iter::repeat_n(pieces[pieces.len() - 1], length / pieces.len()).collect();
        if !length.is_multiple_of(pieces.len()) {
            bar.push(pieces[length % pieces.len() - 1]);
        }
        let painted = match (node.span.status, span_attributes::operation(node.span)) {
            (SpanStatus::Error, _) => look.paint.bad(&bar),
            (_, "chat") => look.paint.name(&bar),
            (_, "execute_tool") => look.paint.good(&bar),
            (_, "handoff.request" | "approval" | "input") => look.paint.warn(&bar),
            _ => bar,
        };
        format!("{}{painted}", " ".repeat(begin as usize))
    }
}
