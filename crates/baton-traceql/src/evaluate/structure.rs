//! Logical and structural operators between two spansets of a trace.

use super::{context::EvaluationContext, tree::SpanForest};
use crate::SpansetOp;
use baton_types::SpanId;
use std::collections::HashMap;

/// Relation of a right span to a left span.
#[derive(Clone, Copy)]
enum Relation {
    Child,
    Parent,
    Descendant,
    Ancestor,
    Sibling,
}

enum RelationMode {
    Plain,
    Negated,
    Union,
}

/// The spans of both sets that the operator keeps, deduplicated.
pub(super) fn combine(scene: &EvaluationContext<'_>, op: SpansetOp, left: &[usize], right: &[usize]) -> Vec<usize> {
    match op {
        SpansetOp::And if left.is_empty() || right.is_empty() => Vec::new(),
        SpansetOp::And | SpansetOp::Or => union(scene, left, right),
        _ => related(scene, op, left, right),
    }
}

fn union(scene: &EvaluationContext<'_>, left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut both = marks(scene, left);
    right.iter().for_each(|span| both[*span] = true);
    both.iter().enumerate().filter(|(_, marked)| **marked).map(|(span, _)| span).collect()
}

fn related(scene: &EvaluationContext<'_>, op: SpansetOp, left: &[usize], right: &[usize]) -> Vec<usize> {
    let (relation, form) = parts(op);
    let tree = scene.tree();
    let stands = related_spans(tree, relation, &marks(scene, left));
    let matching: Vec<usize> = right.iter().copied().filter(|span| stands[*span]).collect();
    match form {
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
fn related_spans(tree: &SpanForest, relation: Relation, marked: &[bool]) -> Vec<bool> {
    let mut stands = vec![false; marked.len()];
    match relation {
        Relation::Child => {
            for (span, parent) in tree.parent.iter().enumerate() {
                stands[span] = parent.is_some_and(|parent| marked[parent]);
            }
        }
        Relation::Parent => {
            for (span, parent) in tree.parent.iter().enumerate() {
                if let Some(parent) = parent.filter(|_| marked[span]) {
                    stands[parent] = true;
                }
            }
        }
        Relation::Descendant => {
            for span in tree.preorder.iter().copied() {
                stands[span] = tree.parent[span].is_some_and(|parent| marked[parent] || stands[parent]);
            }
        }
        Relation::Ancestor => {
            for span in tree.preorder.iter().rev().copied() {
                if let Some(parent) = tree.parent[span].filter(|_| marked[span] || stands[span]) {
                    stands[parent] = true;
                }
            }
        }
        Relation::Sibling => {
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

impl Relation {
    fn inverse(self) -> Self {
        match self {
            Self::Child => Self::Parent,
            Self::Parent => Self::Child,
            Self::Descendant => Self::Ancestor,
            Self::Ancestor => Self::Descendant,
            Self::Sibling => Self::Sibling,
        }
    }
}

fn parts(op: SpansetOp) -> (Relation, RelationMode) {
    match op {
        SpansetOp::Child => (Relation::Child, RelationMode::Plain),
        SpansetOp::NotChild => (Relation::Child, RelationMode::Negated),
        SpansetOp::UnionChild => (Relation::Child, RelationMode::Union),
        SpansetOp::Parent => (Relation::Parent, RelationMode::Plain),
        SpansetOp::NotParent => (Relation::Parent, RelationMode::Negated),
        SpansetOp::UnionParent => (Relation::Parent, RelationMode::Union),
        SpansetOp::Descendant => (Relation::Descendant, RelationMode::Plain),
        SpansetOp::NotDescendant => (Relation::Descendant, RelationMode::Negated),
        SpansetOp::UnionDescendant => (Relation::Descendant, RelationMode::Union),
        SpansetOp::Ancestor => (Relation::Ancestor, RelationMode::Plain),
        SpansetOp::NotAncestor => (Relation::Ancestor, RelationMode::Negated),
        SpansetOp::UnionAncestor => (Relation::Ancestor, RelationMode::Union),
        SpansetOp::Sibling | SpansetOp::And | SpansetOp::Or => (Relation::Sibling, RelationMode::Plain),
        SpansetOp::NotSibling => (Relation::Sibling, RelationMode::Negated),
        SpansetOp::UnionSibling => (Relation::Sibling, RelationMode::Union),
    }
}
