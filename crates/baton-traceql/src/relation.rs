//! Structural relations between two spans of a trace.

use crate::SpansetOp;

/// Relation of a right span to a left span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanRelation {
    /// The left span is the parent of the right span.
    Child,
    /// The right span is the parent of the left span.
    Parent,
    /// The left span is above the right span.
    Descendant,
    /// The right span is above the left span.
    Ancestor,
    /// Both spans have the same parent, which may be missing.
    Sibling,
}

/// Spans that an operator keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationMode {
    /// Right spans with the relation to any left span.
    Plain,
    /// Right spans with the relation to no left span.
    Negated,
    /// Right spans like [`RelationMode::Plain`], and the left spans they are related to.
    Union,
}

impl SpanRelation {
    /// The relation of the left span to the right span.
    pub fn inverse(self) -> Self {
        match self {
            Self::Child => Self::Parent,
            Self::Parent => Self::Child,
            Self::Descendant => Self::Ancestor,
            Self::Ancestor => Self::Descendant,
            Self::Sibling => Self::Sibling,
        }
    }
}

impl SpansetOp {
    /// The relation of a structural operator; none for logical operators.
    pub fn relation(self) -> Option<(SpanRelation, RelationMode)> {
        Some(match self {
            Self::And | Self::Or => return None,
            Self::Child => (SpanRelation::Child, RelationMode::Plain),
            Self::NotChild => (SpanRelation::Child, RelationMode::Negated),
            Self::UnionChild => (SpanRelation::Child, RelationMode::Union),
            Self::Parent => (SpanRelation::Parent, RelationMode::Plain),
            Self::NotParent => (SpanRelation::Parent, RelationMode::Negated),
            Self::UnionParent => (SpanRelation::Parent, RelationMode::Union),
            Self::Descendant => (SpanRelation::Descendant, RelationMode::Plain),
            Self::NotDescendant => (SpanRelation::Descendant, RelationMode::Negated),
            Self::UnionDescendant => (SpanRelation::Descendant, RelationMode::Union),
            Self::Ancestor => (SpanRelation::Ancestor, RelationMode::Plain),
            Self::NotAncestor => (SpanRelation::Ancestor, RelationMode::Negated),
            Self::UnionAncestor => (SpanRelation::Ancestor, RelationMode::Union),
            Self::Sibling => (SpanRelation::Sibling, RelationMode::Plain),
            Self::NotSibling => (SpanRelation::Sibling, RelationMode::Negated),
            Self::UnionSibling => (SpanRelation::Sibling, RelationMode::Union),
        })
    }
}
