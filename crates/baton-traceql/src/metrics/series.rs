//! Results of metrics queries.

use baton_types::{SpanId, SpanValue, TraceId};
use std::cmp::Ordering;

/// One series of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Labels that identify the series: `span.tool` is `"weather"`; `__name__`, `p` or `__bucket` where needed.
    pub labels: Vec<(String, SpanValue)>,
    /// One value per interval; none for an interval without data.
    pub samples: Vec<Option<f64>>,
    /// Exemplars.
    pub exemplars: Vec<Exemplar>,
}

/// A span that is an example of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exemplar {
    /// Trace id.
    pub trace: TraceId,
    /// Span id.
    pub span: SpanId,
    /// Start time.
    pub at: u64,
    /// Measured value.
    pub value: f64,
}

impl Series {
    /// Whether it has at least one sample.
    pub(super) fn has_samples(&self) -> bool {
        self.samples.iter().any(Option::is_some)
    }
}

/// Order of series in a result: label by label, numbers by value.
pub(super) fn by_labels(left: &Series, right: &Series) -> Ordering {
    let pairs = left.labels.iter().zip(&right.labels);
    let order = pairs.map(|((name, value), (other, against))| name.cmp(other).then_with(|| by_value(value, against)));
    order.fold(Ordering::Equal, Ordering::then).then(left.labels.len().cmp(&right.labels.len()))
}

/// Total order of values, for deterministic results.
pub(super) fn by_value(left: &SpanValue, right: &SpanValue) -> Ordering {
    match (left, right) {
        (SpanValue::Text(left), SpanValue::Text(right)) => left.cmp(right),
        (SpanValue::Bool(left), SpanValue::Bool(right)) => left.cmp(right),
        (SpanValue::Int(left), SpanValue::Int(right)) => left.cmp(right),
        (SpanValue::Float(left), SpanValue::Float(right)) => left.total_cmp(right),
        (SpanValue::Bytes(left), SpanValue::Bytes(right)) => left.cmp(right),
        (SpanValue::List(left), SpanValue::List(right)) => {
            let pairs = left.iter().zip(right).map(|(left, right)| by_value(left, right));
            pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (SpanValue::Map(left), SpanValue::Map(right)) => {
            let pairs = left.iter().zip(right);
            let order = pairs.map(|((key, value), (other, against))| key.cmp(other).then(by_value(value, against)));
            order.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &SpanValue) -> u8 {
    match value {
        SpanValue::Empty => 0,
        SpanValue::Bool(_) => 1,
        SpanValue::Int(_) => 2,
        SpanValue::Float(_) => 3,
        SpanValue::Text(_) => 4,
        SpanValue::Bytes(_) => 5,
        SpanValue::List(_) => 6,
        SpanValue::Map(_) => 7,
    }
}
