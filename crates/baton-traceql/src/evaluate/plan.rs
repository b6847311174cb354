//! Execution plan of a pipeline.

use super::expression::Expression;
use crate::{AggregateOp, CompareOp, Literal, SpansetOp};

/// A sequence of steps, or two plans combined.
#[derive(Debug)]
pub(super) enum Plan {
    Steps(Vec<Step>),
    Combined { op: SpansetOp, left: Box<Plan>, right: Box<Plan> },
}

/// One step; `select` needs none because it does not change spansets.
#[derive(Debug)]
pub(super) enum Step {
    Keep(Sets),
    Having(Having),
    By(Grouping),
    Coalesce,
}

/// Selects spans of a set.
#[derive(Debug)]
pub(super) enum Sets {
    All,
    Filter(Expression),
    Combined { op: SpansetOp, left: Box<Sets>, right: Box<Sets> },
}

/// Keeps spansets whose aggregate compares to a constant.
#[derive(Debug)]
pub(super) struct Having {
    pub(super) measure: Measure,
    pub(super) op: CompareOp,
    pub(super) value: Literal,
}

/// An aggregate over the spans of a set.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) op: AggregateOp,
    /// None for `count()`.
    pub(super) of: Option<Expression>,
    /// Attribute name in the result.
    pub(super) label: String,
}

/// Groups a spanset by value.
#[derive(Debug)]
pub(super) struct Grouping {
    pub(super) of: Expression,
    /// Attribute name in the result.
    pub(super) label: String,
}
