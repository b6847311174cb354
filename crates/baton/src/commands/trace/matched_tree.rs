//! Matches two traces into one tree, by span name and position.

use super::{
    span_attributes::{self, SpanTokens},
    tree::TraceTree,
};
use baton_types::SpanStatus;
use std::collections::{HashMap, HashSet};

/// Spans of one trace at one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PairSide {
    /// Number of spans; 0 if the trace has none at this position.
    pub(crate) spans: u64,
    /// Total duration in nanoseconds.
    pub(crate) nanos: u64,
    /// Total token counts, if recorded.
    pub(crate) tokens: Option<SpanTokens>,
    /// Total cost in dollars, if recorded.
    pub(crate) cost: Option<f64>,
    /// Number of failed spans.
    pub(crate) errors: u64,
    /// Error message of the first failed span.
    pub(crate) error: Option<String>,
}

/// A position in both trees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpanPair<'a> {
    /// Name of all spans at this position.
    pub(crate) name: &'a str,
    /// Distance from the root.
    pub(crate) depth: usize,
    /// Child positions, in chronological order.
    pub(crate) children: Vec<usize>,
    /// Spans of the first trace.
    pub(crate) a: PairSide,
    /// Spans of the second trace.
    pub(crate) b: PairSide,
}

/// Both traces as one tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchedTree<'a> {
    /// All positions.
    pub(crate) pairs: Vec<SpanPair<'a>>,
    /// Positions without a parent.
    pub(crate) roots: Vec<usize>,
}

/// Name, and the span indices of both trees at one position.
type PositionGroup<'a> = (&'a str, Vec<usize>, Vec<usize>);

/// Overlays two trees. Siblings with the same name share a position, and so do their children.
pub(crate) fn match_trees<'a>(a: &TraceTree<'a>, b: &TraceTree<'a>) -> MatchedTree<'a> {
    let mut matched = MatchedTree::default();
    let mut open = vec![(None, a.roots.clone(), b.roots.clone())];
    while let Some((parent, of_a, of_b)) = open.pop() {
        for (name, of_a, of_b) in groups(a, b, &of_a, &of_b) {
            let index = matched.pairs.len();
            let depth = match parent {
                None => 0,
                Some(parent) => {
                    let parent: &mut SpanPair<'_> = &mut matched.pairs[parent];
                    parent.children.push(index);
                    parent.depth + 1
                }
            };
            if parent.is_none() {
                matched.roots.push(index);
            }
            matched.pairs.push(SpanPair { name, depth, children: Vec::new(), a: side(a, &of_a), b: side(b, &of_b) });
            let below = |tree: &TraceTree<'_>, spans: &[usize]| -> Vec<usize> {
                spans.iter().flat_map(|span| tree.nodes[*span].children.iter().copied()).collect()
            };
            let (of_a, of_b) = (below(a, &of_a), below(b, &of_b));
            if !of_a.is_empty() || !of_b.is_empty() {
                open.push((Some(index), of_a, of_b));
            }
        }
    }
    matched
}

/// Groups siblings by name, in the order of the first trace. A name that only the second trace has follows its
/// predecessor there.
fn groups<'a>(a: &TraceTree<'a>, b: &TraceTree<'a>, of_a: &[usize], of_b: &[usize]) -> Vec<PositionGroup<'a>> {
    let (names_a, mut by_name_a) = by_name(a, of_a);
    let (names_b, mut by_name_b) = by_name(b, of_b);
    let known: HashSet<&str> = names_a.iter().copied().collect();
    let mut after: HashMap<Option<&str>, Vec<&'a str>> = HashMap::new();
    let mut last = None;
    for name in names_b {
        match known.contains(name) {
            true => last = Some(name),
            false => after.entry(last).or_default().push(name),
        }
    }
    let mut names: Vec<&'a str> = after.remove(&None).unwrap_or_default();
    for name in names_a {
        names.push(name);
        names.extend(after.remove(&Some(name)).unwrap_or_default());
    }
    let group = |name| (name, by_name_a.remove(name).unwrap_or_default(), by_name_b.remove(name).unwrap_or_default());
    names.into_iter().map(group).collect()
}

/// Names in order of first occurrence, and the spans of each.
fn by_name<'a>(tree: &TraceTree<'a>, spans: &[usize]) -> (Vec<&'a str>, HashMap<&'a str, Vec<usize>>) {
    let (mut names, mut groups) = (Vec::new(), HashMap::<&'a str, Vec<usize>>::new());
    for index in spans {
        let name: &'a str = &tree.nodes[*index].span.name;
        groups
            .entry(name)
            .or_insert_with(|| {
                names.push(name);
                Vec::new()
            })
            .push(*index);
    }
    (names, groups)
}

fn side(tree: &TraceTree<'_>, spans: &[usize]) -> PairSide {
    let mut side = PairSide { spans: spans.len() as u64, ..PairSide::default() };
    for index in spans {
        let span = tree.nodes[*index].span;
        side.nanos = side.nanos.saturating_add(span.duration());
        if let Some(tokens) = span_attributes::tokens(span) {
            let sum = side.tokens.get_or_insert_default();
            sum.input = sum.input.saturating_add(tokens.input);
            sum.output = sum.output.saturating_add(tokens.output);
        }
        if let Some(cost) = span_attributes::cost(span) {
            *side.cost.get_or_insert_default() += cost;
        }
        side.errors += u64::from(span.status == SpanStatus::Error);
        side.error = side.error.take().or_else(|| span_attributes::error(span));
    }
    side
}
