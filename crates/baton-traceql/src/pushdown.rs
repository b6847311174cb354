//! Derives the pushdown predicate of a query.

mod build;
mod expression;
mod spansets;

use crate::{
    Aggregate, AggregateOp, Aliases, BinaryOp, CompareOp, Field, FieldExpr, MetricsExpr, PipelineExpr, PipelineStage,
    Query, Root, Scalar, ScalarFilter, SpanPredicate, SpansetExpr, SpansetOp, TracePredicate, evaluate::flipped,
};
use build::{all_of_trace, any_of_trace, trace_from_span};
use expression::{PredicateBuilder, TargetSpan};
pub use spansets::{SpanCondition, SpansetPushdown};

/// The predicate that every matching trace satisfies; conditions that cannot be expressed over single spans are
/// omitted.
pub fn pushdown_predicate(query: &Query, aliases: Aliases) -> TracePredicate {
    let builder = PredicateBuilder { aliases };
    match &query.root {
        Root::Search(pipeline) => pipeline_predicate(builder, pipeline),
        Root::Metrics(MetricsExpr::Query(metrics)) => pipeline_predicate(builder, &metrics.spans),
        Root::Metrics(_) => TracePredicate::Anything,
    }
}

/// The predicate of a metrics leaf: the pipeline selects a span, and some span has a value for the aggregated field.
pub(crate) fn metrics_predicate(spans: &PipelineExpr, of: Option<&Field>, aliases: Aliases) -> TracePredicate {
    let builder = PredicateBuilder { aliases };
    let present =
        of.map(|of| trace_from_span(builder.presence_predicate(&FieldExpr::Field(of.clone()), TargetSpan::Matching)));
    all_of_trace(std::iter::once(pipeline_predicate(builder, spans)).chain(present))
}

fn pipeline_predicate(builder: PredicateBuilder, pipeline: &PipelineExpr) -> TracePredicate {
    match pipeline {
        PipelineExpr::Pipeline(stages) => all_of_trace(stages.iter().map(|stage| stage_predicate(builder, stage))),
        PipelineExpr::Combined { op, left, right } => {
            combined(*op, pipeline_predicate(builder, left), pipeline_predicate(builder, right))
        }
    }
}

fn stage_predicate(builder: PredicateBuilder, stage: &PipelineStage) -> TracePredicate {
    match stage {
        PipelineStage::Spansets(expr) => spansets_predicate(builder, expr),
        PipelineStage::Scalar(filter) => scalar_predicate(builder, filter),
        PipelineStage::By(_) | PipelineStage::Coalesce | PipelineStage::Select(_) => TracePredicate::Anything,
    }
}

fn spansets_predicate(builder: PredicateBuilder, expr: &SpansetExpr) -> TracePredicate {
    match expr {
        SpansetExpr::Filter(None) => TracePredicate::Anything,
        SpansetExpr::Filter(Some(filter)) => filter_predicate(builder, filter),
        SpansetExpr::Combined { op, left, right } => {
            combined(*op, spansets_predicate(builder, left), spansets_predicate(builder, right))
        }
    }
}

/// One span must satisfy the local conditions; conditions on its parent or on the root must also hold for some span.
fn filter_predicate(builder: PredicateBuilder, filter: &FieldExpr) -> TracePredicate {
    let own = trace_from_span(builder.predicate(filter, TargetSpan::Matching));
    let others = [TargetSpan::Parent, TargetSpan::Root].map(|target| relative_predicate(builder, filter, target));
    all_of_trace(std::iter::once(own).chain(others))
}

/// Only the parts of a conjunction are used, each on its own, because the parent or root is a different span.
fn relative_predicate(builder: PredicateBuilder, filter: &FieldExpr, target: TargetSpan) -> TracePredicate {
    match filter {
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            all_of_trace([relative_predicate(builder, left, target), relative_predicate(builder, right, target)])
        }
        _ => match builder.predicate(filter, target) {
            // A condition that is false for every span is already part of the predicate for the matching span.
            SpanPredicate::Nothing => TracePredicate::Anything,
            need => trace_from_span(need),
        },
    }
}

fn combined(op: SpansetOp, left: TracePredicate, right: TracePredicate) -> TracePredicate {
    match op {
        SpansetOp::Or => any_of_trace([left, right]),
        SpansetOp::NotChild
        | SpansetOp::NotParent
        | SpansetOp::NotDescendant
        | SpansetOp::NotAncestor
        | SpansetOp::NotSibling => right,
        _ => all_of_trace([left, right]),
    }
}

fn scalar_predicate(builder: PredicateBuilder, filter: &ScalarFilter) -> TracePredicate {
    let (aggregate, op, value) = match (&filter.left, &filter.right) {
        (Scalar::Aggregate(aggregate), Scalar::Literal(value)) => (aggregate, filter.op, value),
        (Scalar::Literal(value), Scalar::Aggregate(aggregate)) => (aggregate, flipped(filter.op), value),
        _ => return TracePredicate::Anything,
    };
    let Aggregate { op: aggregate, of: Some(of) } = aggregate else { return TracePredicate::Anything };
    // The maximum or minimum is one of the values, so at least one value satisfies the comparison.
    let some_value = matches!(aggregate, AggregateOp::Max | AggregateOp::Min) && op != CompareOp::NotEqual;
    match (some_value, aggregate) {
        (true, _) => trace_from_span(builder.comparison_predicate(
            op,
            of,
            &FieldExpr::Literal(value.clone()),
            TargetSpan::Matching,
        )),
        (false, AggregateOp::Count) => TracePredicate::Anything,
        (false, _) => trace_from_span(builder.presence_predicate(of, TargetSpan::Matching)),
    }
}
