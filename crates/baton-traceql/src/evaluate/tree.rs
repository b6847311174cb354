//! Parent-child relations of the spans of a trace, as a forest.

use super::{
    context::sort_key,
    node::{NodeParent, TraceNode, node_parents},
};
use baton_types::{Span, SpanId};

pub(super) struct SpanForest {
    /// Positions of the parents that are present.
    pub(super) parent: Vec<Option<usize>>,
    /// Id of the parent, also if the parent is missing; siblings share it.
    pub(super) family: Vec<Option<SpanId>>,
    /// All spans, each after its parent.
    pub(super) preorder: Vec<usize>,
    pub(super) children: Vec<i64>,
    pub(super) left: Vec<i64>,
    pub(super) right: Vec<i64>,
}

impl SpanForest {
    pub(super) fn new(spans: &[Span]) -> Self {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_unstable_by_key(|index| sort_key(&spans[*index]));
        let node = |span: &Span| TraceNode { id: span.id, parent: span.parent, start: span.start };
        let parents = node_parents(&spans.iter().map(node).collect::<Vec<_>>());
        let family = |(parent, span): (&NodeParent, &Span)| span.parent.filter(|_| *parent != NodeParent::None);
        let family = parents.iter().zip(spans).map(family).collect();
        let parent = parents.into_iter().map(NodeParent::position).collect();
        let mut tree = Self {
            parent,
            family,
            preorder: Vec::with_capacity(spans.len()),
            children: vec![0; spans.len()],
            left: vec![0; spans.len()],
            right: vec![0; spans.len()],
        };
        tree.number(&order);
        tree
    }

    /// Assigns nested set numbers: descendants have numbers between left and right.
    fn number(&mut self, order: &[usize]) {
        let mut first: Vec<Option<usize>> = vec![None; order.len()];
        let mut next: Vec<Option<usize>> = vec![None; order.len()];
        let mut roots = Vec::new();
        for span in order.iter().rev().copied() {
            match self.parent[span] {
                Some(parent) => {
                    next[span] = first[parent].replace(span);
                    self.children[parent] += 1;
                }
                None => roots.push(span),
            }
        }
        let mut number = 0;
        for root in roots.into_iter().rev() {
            let mut at = Some(root);
            while let Some(span) = at {
                if self.left[span] == 0 {
                    number += 1;
                    self.left[span] = number;
                    self.preorder.push(span);
                }
                // The child list is consumed during the traversal.
                if let Some(child) = first[span] {
                    first[span] = next[child];
                    at = Some(child);
                    continue;
                }
                number += 1;
                self.right[span] = number;
                at = self.parent[span];
            }
        }
    }
}
