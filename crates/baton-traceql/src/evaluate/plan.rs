//! A query that is ready to be asked of many traces.

use super::expression::Expression;
use crate::{AggregateOp, CompareOp, Literal, SpansetOp};

/// Steps from left to right, or two of them combined.
#[derive(Debug)]
pub(super) enum Plan {
    Steps(Vec<Step>),
    Combined { op: SpansetOp, left: Box<Plan>, right: Box<Plan> },
}

/// What a stage does; `select` does nothing to spansets.
#[derive(Debug)]
pub(super) enum Step {
    Keep(Sets),
    Having(Having),
    By(Grouping),
    Coalesce,
}

/// Which spans of a set.
#[derive(Debug)]
pub(super) enum Sets {
    All,
    Filter(Expression),
    Combined { op: SpansetOp, left: Box<Sets>, right: Box<Sets> },
}

/// Spansets whose aggregate compares like this with a constant.
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
    /// What the answer calls it.
    pub(super) label: String,
}

/// One spanset per value.
#[derive(Debug)]
pub(super) struct Grouping {
    pub(super) of: Expression,
    /// What the answer calls it.
    pub(super) label: String,
}
