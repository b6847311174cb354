//! Builds a tree from spans. Tolerates missing parents, parent cycles, several roots and clock skew.

use baton_types::{Span, SpanId, SpanStatus};
use std::collections::{HashMap, HashSet};

/// Maximum clock skew: a span that starts this little before its parent is shown as starting with it. Journals have
/// millisecond precision, and the clocks of two processes differ.
const MAX_CLOCK_SKEW: u64 = 1_000_000;

/// Reason why a span with a parent id is a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeDefect {
    /// The parent is not in the trace.
    ParentMissing,
    /// The chain of parents is a cycle.
    ParentCycle,
}

/// A span in the tree.
#[derive(Debug)]
pub(crate) struct SpanNode<'a> {
    /// The span itself.
    pub(crate) span: &'a Span,
    /// Children, by start time.
    pub(crate) children: Vec<usize>,
    /// Parent span.
    pub(crate) parent: Option<usize>,
    /// Displayed start time.
    pub(crate) start: u64,
    /// Displayed end time.
    pub(crate) end: u64,
    /// Defect of the parent reference.
    pub(crate) defect: Option<TreeDefect>,
    /// Number of spans in the subtree.
    pub(crate) size: u64,
    /// Number of failed spans in the subtree.
    pub(crate) errors: u64,
}

/// A trace as a tree.
#[derive(Debug, Default)]
pub(crate) struct TraceTree<'a> {
    /// All spans, deduplicated.
    pub(crate) nodes: Vec<SpanNode<'a>>,
    /// Spans without a parent in the trace, by start time.
    pub(crate) roots: Vec<usize>,
    /// All spans in pre-order: parents before children.
    pub(crate) order: Vec<usize>,
    /// Earliest start time.
    pub(crate) start: u64,
    /// Latest end time.
    pub(crate) end: u64,
}

impl<'a> TraceTree<'a> {
    /// Builds the tree; duplicate span ids count once.
    pub(crate) fn new(spans: &'a [Span]) -> Self {
        let mut seen: HashMap<SpanId, usize> = HashMap::with_capacity(spans.len());
        let mut nodes: Vec<SpanNode<'a>> = Vec::with_capacity(spans.len());
        for span in spans {
            if seen.contains_key(&span.id) {
                continue;
            }
            seen.insert(span.id, nodes.len());
            let (start, end) = (span.start, span.end.max(span.start));
            let errors = u64::from(span.status == SpanStatus::Error);
            nodes.push(SpanNode {
                span,
                children: Vec::new(),
                parent: None,
                start,
                end,
                defect: None,
                size: 1,
                errors,
            });
        }
        let mut tree = Self { nodes, ..Self::default() };
        for index in 0..tree.nodes.len() {
            match tree.nodes[index].span.parent {
                None => tree.roots.push(index),
                Some(parent) => match seen.get(&parent) {
                    Some(parent) => {
                        tree.nodes[index].parent = Some(*parent);
                        tree.nodes[*parent].children.push(index);
                    }
                    None => {
                        tree.nodes[index].defect = Some(TreeDefect::ParentMissing);
                        tree.roots.push(index);
                    }
                },
            }
        }
        tree.cut_cycles();
        tree.sort();
        tree.align_and_count();
        tree
    }

    /// Spans that are unreachable from the roots belong to a parent cycle, or hang below one. Each cycle is cut at one
    /// of its own spans.
    fn cut_cycles(&mut self) {
        let mut reached = vec![false; self.nodes.len()];
        for root in self.roots.clone() {
            self.mark_reachable(root, &mut reached);
        }
        for index in 0..self.nodes.len() {
            if reached[index] {
                continue;
            }
            let cut = self.earliest_in_cycle(index);
            if let Some(parent) = self.nodes[cut].parent.take() {
                self.nodes[parent].children.retain(|child| *child != cut);
            }
            self.nodes[cut].defect = Some(TreeDefect::ParentCycle);
            self.roots.push(cut);
            self.mark_reachable(cut, &mut reached);
        }
    }

    /// The earliest span of the cycle above `from`.
    fn earliest_in_cycle(&self, from: usize) -> usize {
        let (mut seen, mut at) = (HashSet::new(), from);
        while seen.insert(at) {
            at = self.nodes[at].parent.unwrap_or(at);
        }
        let (begun, mut first) = (at, at);
        loop {
            at = self.nodes[at].parent.unwrap_or(begun);
            if at == begun {
                return first;
            }
            if self.nodes[at].start < self.nodes[first].start {
                first = at;
            }
        }
    }

    fn mark_reachable(&self, from: usize, reached: &mut [bool]) {
        let mut open = vec![from];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                open.extend(&self.nodes[index].children);
            }
        }
    }

    /// Sorts by start time; the sort is stable.
    fn sort(&mut self) {
        let begun: Vec<(u64, u64)> = self.nodes.iter().map(|node| (node.start, node.end)).collect();
        self.roots.sort_by_key(|root| begun[*root]);
        for node in &mut self.nodes {
            node.children.sort_by_key(|child| begun[*child].0);
        }
        let mut open: Vec<usize> = self.roots.iter().rev().copied().collect();
        while let Some(index) = open.pop() {
            self.order.push(index);
            open.extend(self.nodes[index].children.iter().rev());
        }
    }

    /// Aligns spans that start slightly before their parent, and computes the subtree counts.
    fn align_and_count(&mut self) {
        for index in self.order.clone() {
            let begun = self.nodes[index].parent.map(|parent| self.nodes[parent].start);
            let node = &mut self.nodes[index];
            if let Some(begun) = begun.filter(|begun| node.start < *begun && begun - node.start <= MAX_CLOCK_SKEW) {
                node.start = begun;
                node.end = node.end.max(begun);
            }
        }
        for index in self.order.iter().rev() {
            if let Some(parent) = self.nodes[*index].parent {
                self.nodes[parent].size += self.nodes[*index].size;
                self.nodes[parent].errors += self.nodes[*index].errors;
            }
        }
        self.start = self.nodes.iter().map(|node| node.start).min().unwrap_or(0);
        self.end = self.nodes.iter().map(|node| node.end).max().unwrap_or(0);
    }

    /// Total duration.
    pub(crate) fn duration(&self) -> u64 {
        self.end - self.start
    }

    /// Number of roots with this defect.
    pub(crate) fn defect_count(&self, how: TreeDefect) -> u64 {
        self.roots.iter().filter(|root| self.nodes[**root].defect == Some(how)).map(|_| 1).sum()
    }
}
