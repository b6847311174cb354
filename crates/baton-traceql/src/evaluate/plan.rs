//! Execution plan of a pipeline.

use super::expression::Expression;
use crate::{AggregateOp, CompareOp, Literal, SpansetOp};

/// A sequence of steps, or two plans combined.
#[derive(Debug)]
pub(super) enum PipelinePlan {
    Steps(Vec<PlanStep>),
    Combined { op: SpansetOp, left: Box<PipelinePlan>, right: Box<PipelinePlan> },
}

/// One step; `select` needs none because it does not change spansets.
#[derive(Debug)]
pub(super) enum PlanStep {
    Keep(SpansetPlan),
    Having(AggregateFilter),
    By(GroupStep),
    Coalesce,
}

/// Selects spans of a set.
#[derive(Debug)]
pub(super) enum SpansetPlan {
    All,
    Filter(Expression),
    Combined { op: SpansetOp, left: Box<SpansetPlan>, right: Box<SpansetPlan> },
}

/// Keeps spansets whose aggregate compares to a constant.
#[derive(Debug)]
pub(super) struct AggregateFilter {
    pub(super) measure: AggregatePlan,
    pub(super) op: CompareOp,
    pub(super) value: Literal,
}

/// An aggregate over the spans of a set.
#[derive(Debug)]
pub(super) struct AggregatePlan {
    pub(super) op: AggregateOp,
    /// None for `count()`.
    pub(super) of: Option<Expression>,
    /// Attribute name in the result.
    pub(super) label: String,
}

/// Groups a spanset by value.
#[derive(Debug)]
pub(super) struct GroupStep {
    pub(super) of: Expression,
    /// Attribute name in the result.
    pub(super) label: String,
}
