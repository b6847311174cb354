//! Parent-child relations of the spans of a trace.
//!
//! Traces can be incomplete: parents are missing, there are several roots, and faulty emitters produce cycles. A cycle
//! is cut above its earliest span, so that the result is a forest.

use super::context::sort_key;
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
        let mut parent = parents(spans);
        let mut family: Vec<Option<SpanId>> = spans.iter().map(|span| span.parent).collect();
        for cut in cuts(spans, &parent) {
            parent[cut] = None;
            family[cut] = None;
        }
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

fn parents(spans: &[Span]) -> Vec<Option<usize>> {
    let mut ids: Vec<(SpanId, usize)> = spans.iter().enumerate().map(|(index, span)| (span.id, index)).collect();
    ids.sort_unstable();
    let find = |id: SpanId| {
        let at = ids.partition_point(|(known, _)| *known < id);
        ids.get(at).filter(|(known, _)| *known == id).map(|(_, index)| *index)
    };
    spans.iter().map(|span| span.parent.and_then(find)).collect()
}

/// The earliest span of every cycle.
fn cuts(spans: &[Span], parent: &[Option<usize>]) -> Vec<usize> {
    let mut walk = vec![usize::MAX; spans.len()];
    let mut cuts = Vec::new();
    for start in 0..spans.len() {
        let mut at = start;
        while walk[at] == usize::MAX {
            walk[at] = start;
            match parent[at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        if walk[at] == start && parent[at].is_some() {
            cuts.push(earliest(spans, parent, at));
        }
    }
    cuts
}

fn earliest(spans: &[Span], parent: &[Option<usize>], on_circle: usize) -> usize {
    let mut earliest = on_circle;
    let mut at = parent[on_circle];
    while let Some(span) = at.filter(|span| *span != on_circle) {
        if sort_key(&spans[span]) < sort_key(&spans[earliest]) {
            earliest = span;
        }
        at = parent[span];
    }
    earliest
}
