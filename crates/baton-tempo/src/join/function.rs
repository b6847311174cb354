//! Aggregation of parts of an interval.

use baton_traceql::{AggregateOp, FirstStage, MetricsExpr, Query, Root};

/// How the values of parts combine to the value of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// Average weighted by the length of the parts.
    Rate,
    /// Sum.
    Sum,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Not combinable: averages, quantiles, and stages that select or compute with series.
    Other,
}

impl Function {
    /// Function of a query.
    pub(crate) fn from_query(query: &Query) -> Self {
        let Root::Metrics(MetricsExpr::Query(metrics)) = &query.root else { return Self::Other };
        if !metrics.then.is_empty() {
            return Self::Other;
        }
        match &metrics.first {
            FirstStage::Rate { .. } => Self::Rate,
            FirstStage::CountOverTime { .. } | FirstStage::HistogramOverTime { .. } => Self::Sum,
            FirstStage::AggregateOverTime { op, .. } => match op {
                AggregateOp::Sum | AggregateOp::Count => Self::Sum,
                AggregateOp::Min => Self::Min,
                AggregateOp::Max => Self::Max,
                AggregateOp::Avg => Self::Other,
            },
            FirstStage::QuantileOverTime { .. } | FirstStage::Compare(_) => Self::Other,
        }
    }

    /// Combines the value so far with that of a further part; `share` is the part's fraction of the interval.
    pub(crate) fn combine(self, so_far: Option<f64>, part: f64, share: f64) -> f64 {
        let part = if self == Self::Rate { part * share } else { part };
        match (self, so_far) {
            (_, None) | (Self::Other, _) => part,
            (Self::Rate | Self::Sum, Some(sum)) => sum + part,
            (Self::Min, Some(min)) => min.min(part),
            (Self::Max, Some(max)) => max.max(part),
        }
    }
}
