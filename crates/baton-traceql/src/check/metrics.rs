//! Checks of metrics queries: aggregated fields must be numeric, and the query must produce series.

use super::{
    check_field, check_pipeline, check_spansets,
    types::{StaticType, type_of_field},
};
use crate::{CompareFunction, Field, FirstStage, MetricsExpr, MetricsQuery, Query, QueryError, Root};

/// Checks whether a metrics query can be executed; the error names an alternative.
pub fn check_metrics(query: &Query) -> Result<(), QueryError> {
    match &query.root {
        Root::Search(_) => {
            let remedy =
                "end it with one, such as `| rate()` or `| count_over_time() by (name)`, or search for the spans";
            Err(QueryError::Invalid(format!("the query has no metrics function: {remedy}")))
        }
        Root::Metrics(MetricsExpr::Query(metrics)) => check_query(metrics),
        Root::Metrics(metrics) => {
            if has_series(metrics) {
                check_operand(metrics)
            } else {
                Err(QueryError::Invalid(format!("`{metrics}` is a number and has no series")))
            }
        }
    }
}

fn has_series(metrics: &MetricsExpr) -> bool {
    match metrics {
        MetricsExpr::Query(_) => true,
        MetricsExpr::Number(_) => false,
        MetricsExpr::Computed { left, right, .. } => has_series(left) || has_series(right),
    }
}

fn check_operand(metrics: &MetricsExpr) -> Result<(), QueryError> {
    match metrics {
        MetricsExpr::Number(_) => Ok(()),
        MetricsExpr::Query(MetricsQuery { first: FirstStage::Compare(_), .. }) => {
            Err(QueryError::Invalid("`compare` cannot be an operand; use it alone".to_owned()))
        }
        MetricsExpr::Query(metrics) => check_query(metrics),
        MetricsExpr::Computed { left, right, then, .. } => {
            if !then.is_empty() && !has_series(metrics) {
                return Err(QueryError::Invalid(format!("`{metrics}` is a number and has no series to filter")));
            }
            check_operand(left)?;
            check_operand(right)
        }
    }
}

fn check_query(metrics: &MetricsQuery) -> Result<(), QueryError> {
    check_pipeline(&metrics.spans)?;
    let (of, by) = match &metrics.first {
        FirstStage::Rate { by } | FirstStage::CountOverTime { by } => (None, by),
        FirstStage::AggregateOverTime { of, by, .. }
        | FirstStage::QuantileOverTime { of, by, .. }
        | FirstStage::HistogramOverTime { of, by } => (Some(of), by),
        FirstStage::Compare(CompareFunction { selection, .. }) => return check_spansets(selection),
    };
    of.map_or(Ok(()), |of| check_number(of, &metrics.first))?;
    by.iter().try_for_each(check_field)
}

fn check_number(of: &Field, first: &FirstStage) -> Result<(), QueryError> {
    check_field(of)?;
    match type_of_field(of) {
        StaticType::Number | StaticType::Any => Ok(()),
        _ => Err(QueryError::Invalid(format!("`{first}` needs a numeric field, and `{of}` is not numeric"))),
    }
}
