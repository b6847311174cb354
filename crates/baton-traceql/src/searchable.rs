//! The search part of a query.

use crate::{
    CompareOp, FirstStage, Literal, MetricsExpr, MetricsQuery, PipelineExpr, Query, QueryError, Root, SecondStage,
    check::{check_pipeline, unsupported_metrics},
};

/// The span pipeline that a search of this query runs, and a warning about the part that is ignored.
///
/// A metrics query is not a search, with one exception: agents write `.. | rate() > 0` to mean "recent". It only tests
/// for the existence of spans, which the search returns.
pub fn search_pipeline(query: &Query) -> Result<(PipelineExpr, Option<String>), QueryError> {
    let (spans, warning) = match &query.root {
        Root::Search(pipeline) => (pipeline, None),
        Root::Metrics(MetricsExpr::Query(metrics)) if is_existence_test(metrics) => {
            let warning = "`rate() > 0` was ignored: a search returns spans; set the time range with the start and end \
                           of the search";
            (&metrics.spans, Some(warning.to_owned()))
        }
        Root::Metrics(metrics) => return Err(unsupported_metrics(metrics)),
    };
    check_pipeline(spans)?;
    Ok((spans.clone(), warning))
}

fn is_existence_test(metrics: &MetricsQuery) -> bool {
    let FirstStage::Rate { by } = &metrics.first else { return false };
    let [SecondStage::Filter { op: CompareOp::Greater, value }] = metrics.then.as_slice() else { return false };
    by.is_empty() && (*value == Literal::Int(0) || *value == Literal::Float(0.0))
}
