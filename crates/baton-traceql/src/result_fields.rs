//! Fields that a query references, and their keys in the result.

use crate::{
    Aggregate, BinaryOp, Field, FieldExpr, FirstStage, Intrinsic, MetricsExpr, PipelineExpr, PipelineStage, Query,
    Root, RootPredicate, Scalar, SpansetExpr,
};
use baton_types::AttributeKey;

/// Fields that the result lists for every span: deduplicated, in the order of the query.
pub(crate) fn result_fields(pipeline: &PipelineExpr) -> Vec<(AttributeKey, Field)> {
    let mut shown: Vec<(AttributeKey, Field)> = Vec::new();
    visit_pipeline(pipeline, &mut |field| {
        if let Some(key) = key(field)
            && !shown.iter().any(|(_, known)| known == field)
        {
            shown.push((key, field.clone()));
        }
    });
    shown
}

/// Key without scope; none for fields that every result includes.
fn key(field: &Field) -> Option<AttributeKey> {
    match field {
        Field::Attribute(attribute) => Some(AttributeKey::Owned(attribute.name.clone())),
        Field::Intrinsic(
            Intrinsic::Name
            | Intrinsic::Duration
            | Intrinsic::TraceDuration
            | Intrinsic::RootName
            | Intrinsic::RootService
            | Intrinsic::TraceId
            | Intrinsic::SpanId
            | Intrinsic::Parent,
        ) => None,
        Field::Intrinsic(Intrinsic::Status) => Some(AttributeKey::Borrowed("status")),
        Field::Intrinsic(Intrinsic::Kind) => Some(AttributeKey::Borrowed("kind")),
        Field::Intrinsic(Intrinsic::StatusMessage) => Some(AttributeKey::Borrowed("statusMessage")),
        Field::Intrinsic(_) => Some(AttributeKey::Owned(field.to_string())),
    }
}

/// Whether the field depends on the span alone, not on the rest of the trace.
pub(crate) fn is_local(field: &Field) -> bool {
    match field {
        Field::Attribute(attribute) => !attribute.of_parent,
        Field::Intrinsic(intrinsic) => !matches!(
            intrinsic,
            Intrinsic::ChildCount
                | Intrinsic::Parent
                | Intrinsic::TraceDuration
                | Intrinsic::RootName
                | Intrinsic::RootService
                | Intrinsic::NestedSetLeft
                | Intrinsic::NestedSetRight
                | Intrinsic::NestedSetParent
        ),
    }
}

/// Whether the expression depends on the span alone.
pub(crate) fn is_local_expr(expr: &FieldExpr) -> bool {
    match expr {
        FieldExpr::Literal(_) => true,
        FieldExpr::Field(field) => is_local(field),
        FieldExpr::Unary { of, .. } => is_local_expr(of),
        FieldExpr::Binary { op: BinaryOp::Compare(op), left, right }
            if RootPredicate::from_comparison(*op, left, right).is_some() =>
        {
            true
        }
        FieldExpr::Binary { left, right, .. } => is_local_expr(left) && is_local_expr(right),
    }
}

/// Every field that a query references, possibly repeated; none if it reads all fields.
pub fn referenced_fields(query: &Query) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut seen = |field: &Field| fields.push(field.clone());
    let named = match &query.root {
        Root::Search(pipeline) => {
            visit_pipeline(pipeline, &mut seen);
            true
        }
        Root::Metrics(metrics) => visit_metrics(metrics, &mut seen),
    };
    named.then_some(fields)
}

/// Visits referenced fields; returns false if the query reads all fields.
fn visit_metrics(metrics: &MetricsExpr, seen: &mut dyn FnMut(&Field)) -> bool {
    match metrics {
        MetricsExpr::Number(_) => true,
        MetricsExpr::Computed { left, right, .. } => visit_metrics(left, seen) && visit_metrics(right, seen),
        MetricsExpr::Query(query) => {
            visit_pipeline(&query.spans, seen);
            match &query.first {
                FirstStage::Rate { by } | FirstStage::CountOverTime { by } => by.iter().for_each(seen),
                FirstStage::AggregateOverTime { of, by, .. }
                | FirstStage::QuantileOverTime { of, by, .. }
                | FirstStage::HistogramOverTime { of, by } => by.iter().chain([of]).for_each(seen),
                FirstStage::Compare(_) => return false,
            }
            true
        }
    }
}

/// Visits every field that an expression references.
pub(crate) fn visit_fields(expr: &FieldExpr, seen: &mut dyn FnMut(&Field)) {
    match expr {
        FieldExpr::Literal(_) => {}
        FieldExpr::Field(field) => seen(field),
        FieldExpr::Unary { of, .. } => visit_fields(of, seen),
        FieldExpr::Binary { left, right, .. } => {
            visit_fields(left, seen);
            visit_fields(right, seen);
        }
    }
}

fn visit_pipeline(pipeline: &PipelineExpr, seen: &mut dyn FnMut(&Field)) {
    match pipeline {
        PipelineExpr::Pipeline(stages) => stages.iter().for_each(|stage| visit_stage(stage, seen)),
        PipelineExpr::Combined { left, right, .. } => {
            visit_pipeline(left, seen);
            visit_pipeline(right, seen);
        }
    }
}

fn visit_stage(stage: &PipelineStage, seen: &mut dyn FnMut(&Field)) {
    match stage {
        PipelineStage::Spansets(expr) => visit_spansets(expr, seen),
        PipelineStage::Scalar(filter) => [&filter.left, &filter.right].into_iter().for_each(|side| {
            if let Scalar::Aggregate(Aggregate { of: Some(of), .. }) = side {
                visit_fields(of, seen);
            }
        }),
        PipelineStage::By(of) => visit_fields(of, seen),
        PipelineStage::Coalesce => {}
        PipelineStage::Select(fields) => fields.iter().for_each(seen),
    }
}

fn visit_spansets(expr: &SpansetExpr, seen: &mut dyn FnMut(&Field)) {
    match expr {
        SpansetExpr::Filter(filter) => filter.iter().for_each(|filter| visit_fields(filter, seen)),
        SpansetExpr::Combined { left, right, .. } => {
            visit_spansets(left, seen);
            visit_spansets(right, seen);
        }
    }
}
