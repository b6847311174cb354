//! Derives the pushdown predicate of a query.

mod build;
mod expression;

use crate::{
    Aggregate, AggregateOp, Aliases, BinaryOp, CompareOp, Field, FieldExpr, MetricsExpr, PipelineExpr, Query, Root,
    Scalar, ScalarFilter, SpanNeed, SpansetExpr, SpansetOp, Stage, TraceNeed, evaluate::flipped,
};
use build::{all_of_trace, any_of_trace, of_span};
use expression::{Asker, Whose};

/// The predicate that every matching trace satisfies; conditions that cannot be expressed over single spans are
/// omitted.
pub fn need(query: &Query, aliases: Aliases) -> TraceNeed {
    let asker = Asker { aliases };
    match &query.root {
        Root::Search(pipeline) => need_of_pipeline(asker, pipeline),
        Root::Metrics(MetricsExpr::Query(metrics)) => need_of_pipeline(asker, &metrics.spans),
        Root::Metrics(_) => TraceNeed::Anything,
    }
}

/// The predicate of a metrics leaf: the pipeline selects a span, and some span has a value for the aggregated field.
pub(crate) fn need_to_measure(spans: &PipelineExpr, of: Option<&Field>, aliases: Aliases) -> TraceNeed {
    let asker = Asker { aliases };
    let present = of.map(|of| of_span(asker.present(&FieldExpr::Field(of.clone()), Whose::Own)));
    all_of_trace(std::iter::once(need_of_pipeline(asker, spans)).chain(present))
}

fn need_of_pipeline(asker: Asker, pipeline: &PipelineExpr) -> TraceNeed {
    match pipeline {
        PipelineExpr::Pipeline(stages) => all_of_trace(stages.iter().map(|stage| need_of_stage(asker, stage))),
        PipelineExpr::Combined { op, left, right } => {
            combined(*op, need_of_pipeline(asker, left), need_of_pipeline(asker, right))
        }
    }
}

fn need_of_stage(asker: Asker, stage: &Stage) -> TraceNeed {
    match stage {
        Stage::Spansets(expr) => need_of_spansets(asker, expr),
        Stage::Scalar(filter) => need_of_scalar(asker, filter),
        Stage::By(_) | Stage::Coalesce | Stage::Select(_) => TraceNeed::Anything,
    }
}

fn need_of_spansets(asker: Asker, expr: &SpansetExpr) -> TraceNeed {
    match expr {
        SpansetExpr::Filter(None) => TraceNeed::Anything,
        SpansetExpr::Filter(Some(filter)) => need_of_filter(asker, filter),
        SpansetExpr::Combined { op, left, right } => {
            combined(*op, need_of_spansets(asker, left), need_of_spansets(asker, right))
        }
    }
}

/// One span must satisfy the local conditions; conditions on its parent or on the root must also hold for some span.
fn need_of_filter(asker: Asker, filter: &FieldExpr) -> TraceNeed {
    let own = of_span(asker.need(filter, Whose::Own));
    let others = [Whose::Parents, Whose::Roots].map(|whose| need_of_others(asker, filter, whose));
    all_of_trace(std::iter::once(own).chain(others))
}

/// Only the parts of a conjunction are used, each on its own, because the parent or root is a different span.
fn need_of_others(asker: Asker, filter: &FieldExpr, whose: Whose) -> TraceNeed {
    match filter {
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            all_of_trace([need_of_others(asker, left, whose), need_of_others(asker, right, whose)])
        }
        _ => match asker.need(filter, whose) {
            // A condition that is false for every span is already part of the predicate for the matching span.
            SpanNeed::Nothing => TraceNeed::Anything,
            need => of_span(need),
        },
    }
}

fn combined(op: SpansetOp, left: TraceNeed, right: TraceNeed) -> TraceNeed {
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

fn need_of_scalar(asker: Asker, filter: &ScalarFilter) -> TraceNeed {
    let (aggregate, op, value) = match (&filter.left, &filter.right) {
        (Scalar::Aggregate(aggregate), Scalar::Literal(value)) => (aggregate, filter.op, value),
        (Scalar::Literal(value), Scalar::Aggregate(aggregate)) => (aggregate, flipped(filter.op), value),
        _ => return TraceNeed::Anything,
    };
    let Aggregate { op: aggregate, of: Some(of) } = aggregate else { return TraceNeed::Anything };
    // The maximum or minimum is one of the values, so at least one value satisfies the comparison.
    let some_value = matches!(aggregate, AggregateOp::Max | AggregateOp::Min) && op != CompareOp::NotEqual;
    match (some_value, aggregate) {
        (true, _) => of_span(asker.compared(op, of, &FieldExpr::Literal(value.clone()), Whose::Own)),
        (false, AggregateOp::Count) => TraceNeed::Anything,
        (false, _) => of_span(asker.present(of, Whose::Own)),
    }
}
