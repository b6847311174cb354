//! Predicates for pushdown: a store applies them before evaluation.
//!
//! A predicate is necessary, never sufficient: every matching trace satisfies it, and some traces that satisfy it do
//! not match. [`crate::evaluate`] decides.

use crate::{Comparison, Field};

/// Necessary predicate over a trace, built from predicates over its spans.
#[derive(Clone, Debug, PartialEq)]
pub enum TracePredicate {
    /// True for any trace.
    Anything,
    /// All of them hold, each for any span.
    All(Vec<TracePredicate>),
    /// At least one of them holds.
    Any(Vec<TracePredicate>),
    /// At least one span satisfies this.
    Span(SpanPredicate),
}

/// Necessary predicate over one span.
#[derive(Clone, Debug, PartialEq)]
pub enum SpanPredicate {
    /// True for any span.
    Anything,
    /// False for every span.
    Nothing,
    /// All of them hold.
    All(Vec<SpanPredicate>),
    /// At least one of them holds.
    Any(Vec<SpanPredicate>),
    /// The comparison holds, with the semantics of [`crate::evaluate`].
    Holds(Comparison),
    /// The field has a value.
    Exists(Field),
}
