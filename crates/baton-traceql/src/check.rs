//! Checks for queries that parse but cannot be executed.

mod metrics;
mod scalar;
mod types;

use crate::{
    Field, FieldExpr, Intrinsic, MetricsExpr, MetricsQuery, PipelineExpr, PipelineStage, Query, QueryError, Root,
    SpansetExpr,
    result_fields::{is_local, visit_fields},
};
pub use metrics::check_metrics;
pub(crate) use scalar::unsupported_scalar;
use types::{StaticType, check_aggregate, check_filter, type_of};

/// Checks whether a search can be executed; the error names an alternative.
pub fn check(query: &Query) -> Result<(), QueryError> {
    match &query.root {
        Root::Search(pipeline) => check_pipeline(pipeline),
        Root::Metrics(metrics) => Err(unsupported_metrics(metrics)),
    }
}

/// Checks whether spans can be matched one by one, as in a live tail: the query must be one filter over fields of the
/// span alone.
pub fn check_tail(query: &Query) -> Result<(), QueryError> {
    check(query)?;
    let refused = |construct: &str| {
        let remedy = "only one filter such as `{ status = error }` can be followed live; use a search instead";
        Err(QueryError::Invalid(format!(
            "{construct} needs the whole trace, and a live tail sees one span at a time: {remedy}"
        )))
    };
    let Root::Search(PipelineExpr::Pipeline(stages)) = &query.root else { return refused("a combination") };
    for (index, stage) in stages.iter().enumerate() {
        match stage {
            PipelineStage::Spansets(SpansetExpr::Filter(filter)) if index == 0 => {
                let mut foreign = None;
                filter.iter().for_each(|filter| {
                    visit_fields(filter, &mut |field| {
                        if !is_local(field) {
                            foreign.get_or_insert_with(|| field.to_string());
                        }
                    });
                });
                if let Some(field) = foreign {
                    return refused(&format!("`{field}`"));
                }
            }
            PipelineStage::Select(_) => {}
            PipelineStage::Spansets(_) => return refused("a combination of filters"),
            PipelineStage::Scalar(_) => return refused("an aggregate"),
            PipelineStage::By(_) | PipelineStage::Coalesce => return refused("grouping"),
        }
    }
    Ok(())
}

pub(crate) fn check_pipeline(pipeline: &PipelineExpr) -> Result<(), QueryError> {
    match pipeline {
        PipelineExpr::Pipeline(stages) => {
            if matches!(stages.first(), None | Some(PipelineStage::Coalesce)) {
                return Err(QueryError::Invalid("a pipeline begins with spans, such as `{ }`".to_owned()));
            }
            stages.iter().try_for_each(check_stage)
        }
        PipelineExpr::Combined { left, right, .. } => {
            check_pipeline(left)?;
            check_pipeline(right)
        }
    }
}

fn check_stage(stage: &PipelineStage) -> Result<(), QueryError> {
    match stage {
        PipelineStage::Spansets(expr) => check_spansets(expr),
        PipelineStage::Scalar(filter) => scalar::check(filter),
        PipelineStage::By(of) => {
            type_of(of)?;
            check_reference(of, "by")
        }
        PipelineStage::Coalesce => Ok(()),
        PipelineStage::Select(fields) => fields.iter().try_for_each(check_field),
    }
}

fn check_spansets(expr: &SpansetExpr) -> Result<(), QueryError> {
    match expr {
        SpansetExpr::Filter(None) => Ok(()),
        SpansetExpr::Filter(Some(filter)) => check_filter(filter),
        SpansetExpr::Combined { left, right, .. } => {
            check_spansets(left)?;
            check_spansets(right)
        }
    }
}

/// Rejects constants, which are equal for every span.
fn check_reference(expr: &FieldExpr, function: &str) -> Result<(), QueryError> {
    let mut fields = 0;
    visit_fields(expr, &mut |_| fields += 1);
    if fields > 0 {
        return Ok(());
    }
    Err(QueryError::Invalid(format!(
        "`{function}({expr})` must reference a field of a span, such as `{function}(duration)`"
    )))
}

fn check_field(field: &Field) -> Result<(), QueryError> {
    match field {
        Field::Intrinsic(Intrinsic::Parent) => Err(QueryError::Unsupported {
            construct: "`parent`".to_owned(),
            instead: "compare `span:parentID`, name an attribute of the parent (`parent.x`), or use `{ .. } > { .. }`"
                .to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Error for a metrics function in a search.
pub(crate) fn unsupported_metrics(metrics: &MetricsExpr) -> QueryError {
    let construct = match metrics {
        MetricsExpr::Query(MetricsQuery { first, .. }) => format!("`{first}`"),
        MetricsExpr::Number(_) | MetricsExpr::Computed { .. } => "arithmetic over series".to_owned(),
    };
    QueryError::Unsupported { construct, instead: "remove the metrics function to get the spans".to_owned() }
}
