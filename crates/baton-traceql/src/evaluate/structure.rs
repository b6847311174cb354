//! Logical and structural operators between two spansets of a trace.

use super::{context::EvaluationContext, tree::SpanForest};
use crate::{RelationMode, SpanRelation, SpansetOp};
use baton_types::SpanId;
use std::collections::HashMap;

/// The spans of both sets that the operator keeps, deduplicated.
pub(super) fn combine(scene: &EvaluationContext<'_>, op: SpansetOp, left: &[usize], right: &[usize]) -> Vec<usize> {
    match op.relation() {
        Some(relation) => related(scene, relation, left, right),
        None if op == SpansetOp::And && (left.is_empty() || right.is_empty()) => Vec::new(),
        None => union(scene, left, right),
    }
}

fn union(scene: &EvaluationContext<'_>, left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut both = marks(scene, left);
    right.iter().for_each(|span| both[*span] = true);
    both.iter().enumerate().filter(|(_, marked)| **marked).map(|(span, _)| span).collect()
}

fn related(
    scene: &EvaluationContext<'_>,
    (relation, mode): (SpanRelation, RelationMode),
    left: &[usize],
    right: &[usize],
) -> Vec<usize> {
    let tree = scene.tree();
    let stands = related_spans(tree, relation, &marks(scene, left));
    let matching: Vec<usize> = right.iter().copied().filter(|span| stands[*span]).collect();
    match mode {
        RelationMode::Plain => matching,
        RelationMode::Negated => right.iter().copied().filter(|span| !stands[*span]).collect(),
        RelationMode::Union => {
            let stands = self::related_spans(tree, relation.inverse(), &marks(scene, right));
            let others: Vec<usize> = left.iter().copied().filter(|span| stands[*span]).collect();
            union(scene, &others, &matching)
        }
    }
}

fn marks(scene: &EvaluationContext<'_>, spans: &[usize]) -> Vec<bool> {
    let mut marks = vec![false; scene.spans.len()];
    spans.iter().for_each(|span| marks[*span] = true);
    marks
}

/// For every span of the trace, whether it has the relation to any marked span.
fn related_spans(tree: &SpanForest, relation: SpanRelation, marked: &[bool]) -> Vec<bool> {
    let mut stands = vec![false; marked.len()];
    match relation {
        SpanRelation::Child => {
            for (span, parent) in tree.parent.iter().enumerate() {
                stands[span] = parent.is_some_and(|parent| marked[parent]);
            }
        }
        SpanRelation::Parent => {
            for (span, parent) in tree.parent.iter().enumerate() {
                if let Some(parent) = parent.filter(|_| marked[span]) {
                    stands[parent] = true;
                }
            }
        }
        SpanRelation::Descendant => {
            for span in tree.preorder.iter().copied() {
                stands[span] = tree.parent[span].is_some_and(|parent| marked[parent] || stands[parent]);
            }
        }
        SpanRelation::Ancestor => {
            for span in tree.preorder.iter().rev().copied() {
                if let Some(parent) = tree.parent[span].filter(|_| marked[span] || stands[span]) {
                    stands[parent] = true;
                }
            }
        }
        SpanRelation::Sibling => {
            let mut families: HashMap<SpanId, usize> = HashMap::new();
            for (family, marked) in tree.family.iter().zip(marked) {
                if let Some(family) = family.filter(|_| *marked) {
                    *families.entry(family).or_default() += 1;
                }
            }
            for (span, family) in tree.family.iter().enumerate() {
                let members = family.and_then(|family| families.get(&family)).copied().unwrap_or_default();
                // A span is not its own sibling.
                stands[span] = members > usize::from(marked[span]);
            }
        }
    }
    stands
}
