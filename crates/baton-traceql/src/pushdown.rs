//! Derives the pushdown predicate of a query.

mod build;
mod expression;

use crate::{
    Aggregate, AggregateOp, Aliases, BinaryOp, CompareOp, Field, FieldExpr, MetricsExpr, PipelineExpr, PipelineStage,
    Query, Root, Scalar, ScalarFilter, SpanPredicate, SpansetExpr, SpansetOp, TracePredicate, evaluate::flipped,
};
use build::{all_of_trace, any_of_trace, trace_from_span};
use expression::{PredicateBuilder, TargetSpan};

/// The predicate that every matching trace satisfies; conditions that cannot be expressed over single spans are
/// omitted.
pub fn pushdown_predicate(query: &Query, aliases: Aliases) -> TracePredicate {
    let asker = PredicateBuilder { aliases };
    match &query.root {
        Root::Search(pipeline) => pipeline_predicate(asker, pipeline),
        Root::Metrics(MetricsExpr::Query(metrics)) => pipeline_predicate(asker, &metrics.spans),
        Root::Metrics(_) => TracePredicate::Anything,
    }
}

/// The predicate of a metrics leaf: the pipeline selects a span, and some span has a value for the aggregated field.
pub(crate) fn metrics_predicate(spans: &PipelineExpr, of: Option<&Field>, aliases: Aliases) -> TracePredicate {
    let asker = PredicateBuilder { aliases };
    let present =
        of.map(|of| trace_from_span(asker.presence_predicate(&FieldExpr::Field(of.clone()), TargetSpan::Matching)));
    all_of_trace(std::iter::once(pipeline_predicate(asker, spans)).chain(present))
}

fn pipeline_predicate(asker: PredicateBuilder, pipeline: &PipelineExpr) -> TracePredicate {
    match pipeline {
        PipelineExpr::Pipeline(stages) => all_of_trace(stages.iter().map(|stage| stage_predicate(asker, stage))),
        PipelineExpr::Combined { op, left, right } => {
            combined(*op, pipeline_predicate(asker, left), pipeline_predicate(asker, right))
        }
    }
}

fn stage_predicate(asker: PredicateBuilder, stage: &PipelineStage) -> TracePredicate {
    match stage {
        PipelineStage::Spansets(expr) => spansets_predicate(asker, expr),
        PipelineStage::Scalar(filter) => scalar_predicate(asker, filter),
        PipelineStage::By(_) | PipelineStage::Coalesce | PipelineStage::Select(_) => TracePredicate::Anything,
    }
}

fn spansets_predicate(asker: PredicateBuilder, expr: &SpansetExpr) -> TracePredicate {
    match expr {
        SpansetExpr::Filter(None) => TracePredicate::Anything,
        SpansetExpr::Filter(Some(filter)) => filter_predicate(asker, filter),
        SpansetExpr::Combined { op, left, right } => {
            combined(*op, spansets_predicate(asker, left), spansets_predicate(asker, right))
        }
    }
}

/// One span must satisfy the local conditions; conditions on its parent or on the root must also hold for some span.
fn filter_predicate(asker: PredicateBuilder, filter: &FieldExpr) -> TracePredicate {
    let own = trace_from_span(asker.predicate(filter, TargetSpan::Matching));
    let others = [TargetSpan::Parent, TargetSpan::Root].map(|whose| relative_predicate(asker, filter, whose));
    all_of_trace(std::iter::once(own).chain(others))
}

/// Only the parts of a conjunction are used, each on its own, because the parent or root is a different span.
fn relative_predicate(asker: PredicateBuilder, filter: &FieldExpr, whose: TargetSpan) -> TracePredicate {
    match filter {
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            all_of_trace([relative_predicate(asker, left, whose), relative_predicate(asker, right, whose)])
        }
        _ => match asker.predicate(filter, whose) {
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

fn scalar_predicate(asker: PredicateBuilder, filter: &ScalarFilter) -> TracePredicate {
    let (aggregate, op, value) = match (&filter.left, &filter.right) {
        (Scalar::Aggregate(aggregate), Scalar::Literal(value)) => (aggregate, filter.op, value),
        (Scalar::Literal(value), Scalar::Aggregate(aggregate)) => (aggregate, flipped(filter.op), value),
        _ => return TracePredicate::Anything,
    };
    let Aggregate { op: aggregate, of: Some(of) } = aggregate else { return TracePredicate::Anything };
    // The maximum or minimum is one of the values, so at least one value satisfies the comparison.
    let some_value = matches!(aggregate, AggregateOp::Max | AggregateOp::Min) && op != CompareOp::NotEqual;
    match (some_value, aggregate) {
        (true, _) => trace_from_span(asker.comparison_predicate(
            op,
            of,
            &FieldExpr::Literal(value.clone()),
            TargetSpan::Matching,
        )),
        (false, AggregateOp::Count) => TracePredicate::Anything,
        (false, _) => trace_from_span(asker.presence_predicate(of, TargetSpan::Matching)),
    }
}
