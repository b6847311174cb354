//! What parts of an interval say about the whole of it.

use baton_traceql::{AggregateOp, FirstStage, MetricsExpr, Query, Root};

/// How values of parts become the value of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// By how long the parts are.
    Rate,
    /// Added.
    Sum,
    /// The smallest.
    Min,
    /// The greatest.
    Max,
    /// Not at all: means, quantiles, and whatever chooses among series or computes with them.
    Other,
}

impl Function {
    /// That of a query.
    pub(crate) fn of(query: &Query) -> Self {
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

    /// The value so far, with that of a further part, which is this share of the interval.
    pub(crate) fn with(self, so_far: Option<f64>, part: f64, share: f64) -> f64 {
        let part = if self == Self::Rate { part * share } else { part };
        match (self, so_far) {
            (_, None) | (Self::Other, _) => part,
            (Self::Rate | Self::Sum, Some(sum)) => sum + part,
            (Self::Min, Some(least)) => least.min(part),
            (Self::Max, Some(greatest)) => greatest.max(part),
        }
    }
}
