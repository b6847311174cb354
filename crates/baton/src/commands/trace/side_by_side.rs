//! Text output of two compared traces.

use super::{
    formatting::{columns, count, counted, duration, fit, moment, money, padded, right_aligned, short_count},
    matched_tree::{MatchedTree, PairSide, SpanPair, match_trees},
    rows::{Fold, TreePosition},
    span_attributes::SpanTokens,
    terminal_style::TerminalStyle,
    totals::TraceTotals,
    tree::TraceTree,
};
use baton_types::Span;

/// Maximum number of rows.
const MAX_ROWS: usize = 1_000;
/// Minimum width of a name, in columns.
const MIN_LABEL_WIDTH: usize = 18;
/// Width at which names are readable.
const READABLE_LABEL_WIDTH: usize = 30;
const GAP: &str = "  ";

/// All lines for two traces.
pub(super) fn lines(a: &[Span], b: &[Span], fold: Fold, look: &TerminalStyle) -> Vec<String> {
    let trees = [TraceTree::new(a), TraceTree::new(b)];
    let totals = [TraceTotals::from_tree(&trees[0]), TraceTotals::from_tree(&trees[1])];
    let mut lines: Vec<String> = ["A", "B"]
        .into_iter()
        .zip(&trees)
        .zip(&totals)
        .filter_map(|((letter, tree), totals)| Some(head(letter, tree, totals, look)?.trim_end().to_owned()))
        .collect();
    lines.push(String::new());
    lines.extend(sums(&trees, &totals, look));
    lines.push(String::new());
    let both = match_trees(&trees[0], &trees[1]);
    lines.extend(rows(&both, &totals, fold, look));
    lines.push(String::new());
    lines.push(counterpart_summary(&both));
    lines
}

fn head(letter: &str, tree: &TraceTree<'_>, totals: &TraceTotals, look: &TerminalStyle) -> Option<String> {
    let trace = tree.nodes.first()?.span.trace.to_string();
    let when = format!("{} UTC", moment(tree.start));
    let services = totals.services().iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let used = columns(letter) + trace.len() + columns(&when) + 3 * GAP.len();
    let services = fit(&services, look.width.saturating_sub(used), look.glyphs.more);
    let lead = format!("{letter}{GAP}{}", look.paint.strong(&trace));
    match look.width > used {
        true => Some(format!("{lead}{GAP}{when}{GAP}{}", look.paint.faint(&services))),
        false => Some(lead),
    }
}

/// Totals of both traces, line by line.
fn sums(trees: &[TraceTree<'_>; 2], totals: &[TraceTotals; 2], look: &TerminalStyle) -> Vec<String> {
    let mut rows = vec![[String::new(), "A".to_owned(), "B".to_owned(), "change".to_owned()]];
    let mut add = |label: &str, values: [String; 2], change: String| {
        let [a, b] = values;
        rows.push([label.to_owned(), a, b, change]);
    };
    let [a, b] = [trees[0].duration(), trees[1].duration()];
    add("time", [a, b].map(duration), percent(a, b));
    let counts = [
        ("spans", totals.each_ref().map(|totals| Some(totals.spans()))),
        ("errors", totals.each_ref().map(|totals| Some(totals.errors()))),
        ("tokens in", totals.each_ref().map(|totals| totals.tokens().map(|tokens| tokens.input))),
        ("tokens out", totals.each_ref().map(|totals| totals.tokens().map(|tokens| tokens.output))),
    ];
    for (label, [a, b]) in counts {
        if a.is_some() || b.is_some() {
            let (a, b) = (a.unwrap_or(0), b.unwrap_or(0));
            add(label, [a, b].map(count), difference(a, b));
        }
    }
    if let [a, b] = totals.each_ref().map(TraceTotals::cost)
        && (a.is_some() || b.is_some())
    {
        let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
        let sign = if b < a { "-" } else { "+" };
        let change = if a == b { "=".to_owned() } else { format!("{sign}{}", money((b - a).abs())) };
        add("cost", [a, b].map(money), change);
    }
    let width = |at: usize| rows.iter().map(|row| columns(&row[at])).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let line = |(index, row): (usize, &[String; 4])| {
        let cells: Vec<String> = (1..4).map(|at| right_aligned(&row[at], widths[at])).collect();
        let line = format!("{}{GAP}{}", padded(&row[0], widths[0]), cells.join(GAP));
        let is_worse = row[0] == "errors" && row[3].starts_with('+');
        match index {
            0 => look.paint.faint(&line),
            _ if is_worse => look.paint.bad(&line),
            _ => line,
        }
    };
    rows.iter().enumerate().map(line).collect()
}

/// Change of a duration in percent, or as a factor.
fn percent(a: u64, b: u64) -> String {
    if a == 0 || b == 0 {
        return if a == b { "=".to_owned() } else { String::new() };
    }
    let ratio = b as f64 / a as f64;
    match (ratio - 1.0) * 100.0 {
        _ if ratio >= 10.0 => format!("x{ratio:.0}"),
        change if change.abs() < 0.5 => "=".to_owned(),
        change => format!("{change:+.0}%"),
    }
}

fn difference(a: u64, b: u64) -> String {
    match b.cmp(&a) {
        std::cmp::Ordering::Equal => "=".to_owned(),
        std::cmp::Ordering::Greater => format!("+{}", count(b - a)),
        std::cmp::Ordering::Less => format!("-{}", count(a - b)),
    }
}

/// One row: name and cells.
struct DiffRow<'a> {
    pair: &'a SpanPair<'a>,
    label: String,
    below: String,
    cells: [String; CELL_COUNT],
}

const CELL_COUNT: usize = 7;
const HEADS: [&str; CELL_COUNT] = ["time A", "time B", "change", "tokens A", "tokens B", "cost A", "cost B"];

fn rows(both: &MatchedTree<'_>, totals: &[TraceTotals; 2], fold: Fold, look: &TerminalStyle) -> Vec<String> {
    let max_rows = if fold == Fold::Nothing { usize::MAX } else { MAX_ROWS };
    let mut open: Vec<(usize, TreePosition)> =
        both.roots.iter().rev().map(|root| (*root, TreePosition::default())).collect();
    let (mut rows, mut left) = (Vec::new(), 0_u64);
    while let Some((index, position)) = open.pop() {
        let pair = &both.pairs[index];
        let last = pair.children.len().saturating_sub(1);
        let children = pair.children.iter().enumerate().rev();
        open.extend(children.map(|(at, child)| (*child, position.child(at == last, look.glyphs))));
        if rows.len() >= max_rows {
            left += 1;
            continue;
        }
        rows.push(DiffRow::from_pair(pair, &position, look));
    }
    let mut lines = table_lines(&rows, totals, look);
    if left > 0 {
        let more = counted(left, "more row");
        lines.push(look.paint.warn(&format!("{} {more}; use --all to show them", look.glyphs.folded)));
    }
    lines
}

impl<'a> DiffRow<'a> {
    fn from_pair(pair: &'a SpanPair<'a>, position: &TreePosition, look: &TerminalStyle) -> Self {
        let (a, b) = (&pair.a, &pair.b);
        let mark = match (a.spans, b.spans) {
            (_, 0) => "-",
            (0, _) => "+",
            _ => " ",
        };
        let times = match (a.spans, b.spans) {
            (0 | 1, 0 | 1) => String::new(),
            (0, many) | (many, 0) => format!(" x{many}"),
            (a, b) if a == b => format!(" x{a}"),
            (a, b) => format!(" x{a}{}x{b}", look.glyphs.to),
        };
        let failed = if a.errors + b.errors > 0 { format!("{} ", look.glyphs.error) } else { String::new() };
        let name = if pair.name.is_empty() { "(no name)" } else { pair.name };
        let (rails, below) = position.prefixes(look.glyphs);
        let time = |side: &PairSide| if side.spans > 0 { duration(side.nanos) } else { String::new() };
        let tokens = |side: &PairSide| {
            let shown = |SpanTokens { input, output }| {
                format!("{}{}{}", short_count(input), look.glyphs.to, short_count(output))
            };
            side.tokens.map(shown).unwrap_or_default()
        };
        let cost = |side: &PairSide| side.cost.map(money).unwrap_or_default();
        let change = if a.spans > 0 && b.spans > 0 { percent(a.nanos, b.nanos) } else { String::new() };
        Self {
            pair,
            label: format!("{mark} {rails}{failed}{name}{times}"),
            below: format!("  {below}"),
            cells: [time(a), time(b), change, tokens(a), tokens(b), cost(a), cost(b)],
        }
    }

    /// Error messages of the spans, below the row.
    fn errors(&self, look: &TerminalStyle) -> Vec<String> {
        let joint = if self.pair.children.is_empty() { "  " } else { look.glyphs.rail };
        let messages = match (&self.pair.a.error, &self.pair.b.error) {
            (Some(a), Some(b)) if a == b => vec![("A and B", a)],
            (a, b) => {
                [("A", a), ("B", b)].into_iter().filter_map(|(side, message)| Some((side, message.as_ref()?))).collect()
            }
        };
        let line = |(side, message): (&str, &String)| {
            let lead = format!("{}{joint}", self.below);
            let text = format!("{side} {} {message}", look.glyphs.error);
            let room = look.width.saturating_sub(columns(&lead)).max(MIN_LABEL_WIDTH);
            format!("{}{}", look.paint.faint(&lead), look.paint.bad(&fit(&text, room, look.glyphs.more)))
        };
        messages.into_iter().map(line).collect()
    }
}

fn table_lines(rows: &[DiffRow<'_>], totals: &[TraceTotals; 2], look: &TerminalStyle) -> Vec<String> {
    let has_tokens = totals.iter().any(TraceTotals::has_tokens);
    let has_cost = totals.iter().any(TraceTotals::has_cost);
    let widest = |at: usize| rows.iter().map(|row| columns(&row.cells[at])).max().unwrap_or(0).max(HEADS[at].len());
    let label = rows.iter().map(|row| columns(&row.label)).max().unwrap_or(0).max("  span".len());
    // In a narrow layout, readable names take precedence over numbers.
    let sets: [&[usize]; 3] = [&[0, 1, 2, 3, 4, 5, 6], &[0, 1, 2, 3, 4], &[0, 1, 2]];
    let used_width = |set: &[usize]| set.iter().map(|at| widest(*at) + GAP.len()).sum::<usize>();
    let shown = |set: &&[usize]| -> Vec<usize> {
        let has_column = |at: &usize| (*at < 3) || (has_tokens && *at < 5) || (has_cost && *at >= 5);
        set.iter().copied().filter(has_column).collect()
    };
    let sets: Vec<Vec<usize>> = sets.iter().map(shown).collect();
    let fits = |set: &&Vec<usize>| look.width.saturating_sub(used_width(set)) >= label.min(READABLE_LABEL_WIDTH);
    let set = sets.iter().find(fits).or(sets.last()).cloned().unwrap_or_default();
    let label = label.min(look.width.saturating_sub(used_width(&set)).max(MIN_LABEL_WIDTH));
    let line = |text: &str, cells: &[String]| {
        let cells: String = set.iter().map(|at| format!("{GAP}{}", right_aligned(&cells[*at], widest(*at)))).collect();
        format!("{}{cells}", padded(&fit(text, label, look.glyphs.more), label)).trim_end().to_owned()
    };
    let mut lines = vec![look.paint.faint(&line("  span", &HEADS.map(str::to_owned)))];
    for row in rows {
        let text = line(&row.label, &row.cells);
        lines.push(match (row.pair.a.spans, row.pair.b.spans) {
            (_, 0) => look.paint.warn(&text),
            (0, _) => look.paint.good(&text),
            _ => text,
        });
        lines.extend(row.errors(look));
    }
    lines
}

/// Number of spans without a counterpart.
fn counterpart_summary(both: &MatchedTree<'_>) -> String {
    let sum = |side: fn(&SpanPair<'_>) -> (u64, u64)| {
        both.pairs.iter().map(side).filter(|(_, other)| *other == 0).map(|(spans, _)| spans).sum::<u64>()
    };
    let (a, b) = (sum(|pair| (pair.a.spans, pair.b.spans)), sum(|pair| (pair.b.spans, pair.a.spans)));
    match (a, b) {
        (0, 0) => "every span has a counterpart".to_owned(),
        (a, b) => format!("only in A: {}; only in B: {}", counted(a, "span"), counted(b, "span")),
    }
}
