//! Two traces as one tree: spans of the same name in the same place belong together.

use super::{
    facts::{self, Tokens},
    tree::Tree,
};
use baton_types::SpanStatus;
use std::collections::{HashMap, HashSet};

/// What one trace has in a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Side {
    /// How many spans; none when the trace has nothing there.
    pub(crate) spans: u64,
    /// How long they took together, in nanoseconds.
    pub(crate) nanos: u64,
    /// Their tokens, when any says.
    pub(crate) tokens: Option<Tokens>,
    /// Their cost in dollars, when any says.
    pub(crate) cost: Option<f64>,
    /// How many ended badly.
    pub(crate) errors: u64,
    /// Why the first of those did.
    pub(crate) error: Option<String>,
}

/// A place in both trees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair<'a> {
    /// The name that all spans there have.
    pub(crate) name: &'a str,
    /// How many places it is below the root.
    pub(crate) depth: usize,
    /// Places below it, in the order in which things happened.
    pub(crate) children: Vec<usize>,
    /// The first trace.
    pub(crate) a: Side,
    /// The second.
    pub(crate) b: Side,
}

/// Both traces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matched<'a> {
    /// All places.
    pub(crate) pairs: Vec<Pair<'a>>,
    /// Those that are in no other.
    pub(crate) roots: Vec<usize>,
}

/// Spans that stand in one place of both trees.
type Group<'a> = (&'a str, Vec<usize>, Vec<usize>);

/// Puts two trees on top of each other. Siblings of one name share a place, and so do the spans below them.
pub(crate) fn matched<'a>(a: &Tree<'a>, b: &Tree<'a>) -> Matched<'a> {
    let mut matched = Matched::default();
    let mut open = vec![(None, a.roots.clone(), b.roots.clone())];
    while let Some((parent, of_a, of_b)) = open.pop() {
        for (name, of_a, of_b) in groups(a, b, &of_a, &of_b) {
            let index = matched.pairs.len();
            let depth = match parent {
                None => 0,
                Some(parent) => {
                    let parent: &mut Pair<'_> = &mut matched.pairs[parent];
                    parent.children.push(index);
                    parent.depth + 1
                }
            };
            if parent.is_none() {
                matched.roots.push(index);
            }
            matched.pairs.push(Pair { name, depth, children: Vec::new(), a: side(a, &of_a), b: side(b, &of_b) });
            let below = |tree: &Tree<'_>, spans: &[usize]| -> Vec<usize> {
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

/// Siblings by name. The order is that of the first trace; what only the second has comes after what it came after there.
fn groups<'a>(a: &Tree<'a>, b: &Tree<'a>, of_a: &[usize], of_b: &[usize]) -> Vec<Group<'a>> {
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

/// The names in the order in which they occur first, and the spans of each.
fn by_name<'a>(tree: &Tree<'a>, spans: &[usize]) -> (Vec<&'a str>, HashMap<&'a str, Vec<usize>>) {
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

fn side(tree: &Tree<'_>, spans: &[usize]) -> Side {
    let mut side = Side { spans: spans.len() as u64, ..Side::default() };
    for index in spans {
        let span = tree.nodes[*index].span;
        side.nanos = side.nanos.saturating_add(span.duration());
        if let Some(tokens) = facts::tokens(span) {
            let sum = side.tokens.get_or_insert_default();
            sum.input = sum.input.saturating_add(tokens.input);
            sum.output = sum.output.saturating_add(tokens.output);
        }
        if let Some(cost) = facts::cost(span) {
            *side.cost.get_or_insert_default() += cost;
        }
        side.errors += u64::from(span.status == SpanStatus::Error);
        side.error = side.error.take().or_else(|| facts::error(span));
    }
    side
}
