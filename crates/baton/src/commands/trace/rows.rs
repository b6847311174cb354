//! Selects the spans of a tree that are shown, with their order and indentation.

use super::{terminal_style::Glyphs, tree::TraceTree};
use std::collections::HashMap;

/// Siblings of one name that are shown if there are more than [`FOLD_THRESHOLD`].
const MAX_FOLDED_SIBLINGS: usize = 5;
/// Maximum number of siblings of one name that are all shown.
const FOLD_THRESHOLD: usize = 8;
/// Maximum number of further siblings that are shown because they contain an error.
const MAX_SHOWN_ERRORS: usize = 3;
/// Maximum number of siblings with any name.
const MAX_SIBLINGS: usize = 100;
/// Maximum number of rows.
const MAX_ROWS: usize = 1_000;
/// Maximum indented depth; deeper rows show their depth as a number.
const MAX_INDENT_DEPTH: usize = 20;

/// Folding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// Repeated siblings and excess rows are folded into counts.
    Repeated,
    /// Every span has its own row.
    Nothing,
}

/// Content of a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RowContent {
    /// One span.
    Span(usize),
    /// Spans without rows of their own.
    Folded(FoldedSpans),
}

/// Summary of folded spans.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoldedSpans {
    /// Common name of the spans; `None` if the names differ.
    pub(crate) name: Option<String>,
    /// Number of siblings.
    pub(crate) siblings: u64,
    /// Number of spans, including descendants.
    pub(crate) spans: u64,
    /// Number of failed spans.
    pub(crate) errors: u64,
    /// Total duration in nanoseconds.
    pub(crate) nanos: u64,
}

/// One row.
#[derive(Debug)]
pub(crate) struct TreeRow {
    /// Content of the row.
    pub(crate) content: RowContent,
    /// Tree prefix of the row.
    pub(crate) rails: String,
    /// Tree prefix of continuation lines.
    pub(crate) below: String,
}

/// The rows of a tree, and the number of spans beyond the row limit.
pub(crate) fn rows(tree: &TraceTree<'_>, fold: Fold, glyphs: Glyphs) -> (Vec<TreeRow>, u64) {
    let max_rows = if fold == Fold::Nothing { usize::MAX } else { MAX_ROWS };
    let mut rows = Vec::new();
    // Roots are never indented.
    let mut open: Vec<(RowContent, TreePosition)> =
        items(tree, &tree.roots, fold).into_iter().rev().map(|content| (content, TreePosition::default())).collect();
    let mut left = 0;
    while let Some((content, position)) = open.pop() {
        if rows.len() >= max_rows {
            left += spans(tree, &content);
            continue;
        }
        let (rails, inside) = position.prefixes(glyphs);
        if let RowContent::Span(index) = content {
            let children = items(tree, &tree.nodes[index].children, fold);
            let last = children.len().saturating_sub(1);
            let below = children
                .into_iter()
                .enumerate()
                .rev()
                .map(|(at, content)| (content, position.child(at == last, glyphs)));
            open.extend(below);
        }
        rows.push(TreeRow { content, rails, below: inside });
    }
    (rows, left)
}

fn spans(tree: &TraceTree<'_>, content: &RowContent) -> u64 {
    match content {
        RowContent::Span(index) => tree.nodes[*index].size,
        RowContent::Folded(folded) => folded.spans,
    }
}

/// Position of a row in the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct TreePosition {
    /// Prefix of all rows inside the parent.
    outer: String,
    /// Connector of this row.
    joint: &'static str,
    /// Continuation below the connector.
    rail: &'static str,
    depth: usize,
}

impl TreePosition {
    /// Position of a child.
    pub(super) fn child(&self, is_last: bool, glyphs: Glyphs) -> Self {
        let depth = self.depth + 1;
        let outer = match depth {
            depth if depth > MAX_INDENT_DEPTH => self.outer.clone(),
            _ => format!("{}{}", self.outer, self.rail),
        };
        match is_last {
            true => Self { outer, joint: glyphs.last, rail: "  ", depth },
            false => Self { outer, joint: glyphs.child, rail: glyphs.rail, depth },
        }
    }

    /// Tree prefixes of the row and of its continuation lines.
    pub(super) fn prefixes(&self, glyphs: Glyphs) -> (String, String) {
        if self.depth > MAX_INDENT_DEPTH {
            let rails = format!("{}{}{} ", self.outer, glyphs.folded, self.depth);
            let below = format!("{}  ", self.outer);
            return (rails, below);
        }
        (format!("{}{}", self.outer, self.joint), format!("{}{}", self.outer, self.rail))
    }
}

/// Rows of a list of siblings. Repeated names are folded after the first few, siblings that contain errors stay
/// visible, and the total is bounded.
fn items(tree: &TraceTree<'_>, siblings: &[usize], fold: Fold) -> Vec<RowContent> {
    if fold == Fold::Nothing || siblings.len() <= FOLD_THRESHOLD {
        return siblings.iter().copied().map(RowContent::Span).collect();
    }
    let mut groups: HashMap<&str, SiblingGroup> = HashMap::new();
    for index in siblings {
        groups.entry(&tree.nodes[*index].span.name).or_default().size += 1;
    }
    let (mut items, mut rest) = (Vec::new(), FoldedSpans::new(None));
    let mut counted: Vec<FoldedSpans> = Vec::new();
    for index in siblings {
        let node = &tree.nodes[*index];
        let Some(group) = groups.get_mut(node.span.name.as_ref()) else { continue };
        group.seen += 1;
        let leads_to_error = node.errors > 0 && group.errors < MAX_SHOWN_ERRORS;
        let is_shown = group.size <= FOLD_THRESHOLD || group.seen <= MAX_FOLDED_SIBLINGS || leads_to_error;
        if is_shown && items.len() < MAX_SIBLINGS {
            group.errors += usize::from(group.seen > MAX_FOLDED_SIBLINGS && leads_to_error);
            items.push(RowContent::Span(*index));
        } else if group.size > FOLD_THRESHOLD {
            let at = *group.folded.get_or_insert_with(|| {
                counted.push(FoldedSpans::new(Some(node.span.name.to_string())));
                counted.len() - 1
            });
            counted[at].add(tree, *index);
        } else {
            rest.add(tree, *index);
        }
    }
    if counted.len() > FOLD_THRESHOLD {
        for folded in counted.drain(MAX_FOLDED_SIBLINGS..) {
            rest.merge(&folded);
        }
    }
    items.extend(counted.into_iter().map(RowContent::Folded));
    if rest.siblings > 0 {
        items.push(RowContent::Folded(rest));
    }
    items
}

/// Counters for siblings of one name.
#[derive(Default)]
struct SiblingGroup {
    size: usize,
    seen: usize,
    errors: usize,
    folded: Option<usize>,
}

impl FoldedSpans {
    fn new(name: Option<String>) -> Self {
        Self { name, siblings: 0, spans: 0, errors: 0, nanos: 0 }
    }

    fn add(&mut self, tree: &TraceTree<'_>, index: usize) {
        let node = &tree.nodes[index];
        self.siblings += 1;
        self.spans += node.size;
        self.errors += node.errors;
        self.nanos = self.nanos.saturating_add(node.end - node.start);
    }

    fn merge(&mut self, other: &Self) {
        self.siblings += other.siblings;
        self.spans += other.spans;
        self.errors += other.errors;
        self.nanos = self.nanos.saturating_add(other.nanos);
    }
}
