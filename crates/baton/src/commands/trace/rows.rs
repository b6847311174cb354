//! Selects the spans of a tree that are shown, with their order and indentation.

use super::{look::Glyphs, tree::Tree};
use std::collections::HashMap;

/// Siblings of one name that are shown if there are more than [`MANY`].
const SHOWN: usize = 5;
/// Maximum number of siblings of one name that are all shown.
const MANY: usize = 8;
/// Maximum number of further siblings that are shown because they contain an error.
const SHOWN_ERRORS: usize = 3;
/// Maximum number of siblings with any name.
const MOST_SIBLINGS: usize = 100;
/// Maximum number of rows.
const MOST_ROWS: usize = 1_000;
/// Maximum indented depth; deeper rows show their depth as a number.
const DEEPEST: usize = 20;

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
pub(crate) enum What {
    /// One span.
    Span(usize),
    /// Spans without rows of their own.
    Folded(Folded),
}

/// Summary of folded spans.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Folded {
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
pub(crate) struct Row {
    /// Content of the row.
    pub(crate) what: What,
    /// Tree prefix of the row.
    pub(crate) rails: String,
    /// Tree prefix of continuation lines.
    pub(crate) below: String,
}

/// The rows of a tree, and the number of spans beyond the row limit.
pub(crate) fn rows(tree: &Tree<'_>, fold: Fold, glyphs: Glyphs) -> (Vec<Row>, u64) {
    let most = if fold == Fold::Nothing { usize::MAX } else { MOST_ROWS };
    let mut rows = Vec::new();
    // Roots are never indented.
    let mut open: Vec<(What, Place)> =
        items(tree, &tree.roots, fold).into_iter().rev().map(|what| (what, Place::default())).collect();
    let mut left = 0;
    while let Some((what, place)) = open.pop() {
        if rows.len() >= most {
            left += spans(tree, &what);
            continue;
        }
        let (rails, inside) = place.drawn(glyphs);
        if let What::Span(index) = what {
            let children = items(tree, &tree.nodes[index].children, fold);
            let last = children.len().saturating_sub(1);
            let below =
                children.into_iter().enumerate().rev().map(|(at, what)| (what, place.inside(at == last, glyphs)));
            open.extend(below);
        }
        rows.push(Row { what, rails, below: inside });
    }
    (rows, left)
}

fn spans(tree: &Tree<'_>, what: &What) -> u64 {
    match what {
        What::Span(index) => tree.nodes[*index].size,
        What::Folded(folded) => folded.spans,
    }
}

/// Position of a row in the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Prefix of all rows inside the parent.
    outer: String,
    /// Connector of this row.
    joint: &'static str,
    /// Continuation below the connector.
    rail: &'static str,
    depth: usize,
}

impl Place {
    /// Position of a child.
    pub(super) fn inside(&self, is_last: bool, glyphs: Glyphs) -> Self {
        let depth = self.depth + 1;
        let outer = match depth {
            depth if depth > DEEPEST => self.outer.clone(),
            _ => format!("{}{}", self.outer, self.rail),
        };
        match is_last {
            true => Self { outer, joint: glyphs.last, rail: "  ", depth },
            false => Self { outer, joint: glyphs.child, rail: glyphs.rail, depth },
        }
    }

    /// Tree prefixes of the row and of its continuation lines.
    pub(super) fn drawn(&self, glyphs: Glyphs) -> (String, String) {
        if self.depth > DEEPEST {
            let rails = format!("{}{}{} ", self.outer, glyphs.folded, self.depth);
            let below = format!("{}  ", self.outer);
            return (rails, below);
        }
        (format!("{}{}", self.outer, self.joint), format!("{}{}", self.outer, self.rail))
    }
}

/// Rows of a list of siblings. Repeated names are folded after the first few, siblings that contain errors stay
/// visible, and the total is bounded.
fn items(tree: &Tree<'_>, siblings: &[usize], fold: Fold) -> Vec<What> {
    if fold == Fold::Nothing || siblings.len() <= MANY {
        return siblings.iter().copied().map(What::Span).collect();
    }
    let mut groups: HashMap<&str, Group> = HashMap::new();
    for index in siblings {
        groups.entry(&tree.nodes[*index].span.name).or_default().size += 1;
    }
    let (mut items, mut rest) = (Vec::new(), Folded::of(None));
    let mut counted: Vec<Folded> = Vec::new();
    for index in siblings {
        let node = &tree.nodes[*index];
        let Some(group) = groups.get_mut(node.span.name.as_ref()) else { continue };
        group.seen += 1;
        let leads_to_error = node.errors > 0 && group.errors < SHOWN_ERRORS;
        let is_shown = group.size <= MANY || group.seen <= SHOWN || leads_to_error;
        if is_shown && items.len() < MOST_SIBLINGS {
            group.errors += usize::from(group.seen > SHOWN && leads_to_error);
            items.push(What::Span(*index));
        } else if group.size > MANY {
            let at = *group.folded.get_or_insert_with(|| {
                counted.push(Folded::of(Some(node.span.name.to_string())));
                counted.len() - 1
            });
            counted[at].take(tree, *index);
        } else {
            rest.take(tree, *index);
        }
    }
    if counted.len() > MANY {
        for folded in counted.drain(SHOWN..) {
            rest.merge(&folded);
        }
    }
    items.extend(counted.into_iter().map(What::Folded));
    if rest.siblings > 0 {
        items.push(What::Folded(rest));
    }
    items
}

/// Counters for siblings of one name.
#[derive(Default)]
struct Group {
    size: usize,
    seen: usize,
    errors: usize,
    folded: Option<usize>,
}

impl Folded {
    fn of(name: Option<String>) -> Self {
        Self { name, siblings: 0, spans: 0, errors: 0, nanos: 0 }
    }

    fn take(&mut self, tree: &Tree<'_>, index: usize) {
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
