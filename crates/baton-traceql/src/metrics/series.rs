//! Results of metrics queries.

use baton_types::{SpanId, TraceId, Value};
use std::cmp::Ordering;

/// One series of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Labels that identify the series: `span.tool` is `"weather"`; `__name__`, `p` or `__bucket` where needed.
    pub labels: Vec<(String, Value)>,
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
    pub(super) fn says_something(&self) -> bool {
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
pub(super) fn by_value(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => left.total_cmp(right),
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        (Value::List(left), Value::List(right)) => {
            let pairs = left.iter().zip(right).map(|(left, right)| by_value(left, right));
            pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Value::Map(left), Value::Map(right)) => {
            let pairs = left.iter().zip(right);
            let order = pairs.map(|((key, value), (other, against))| key.cmp(other).then(by_value(value, against)));
            order.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Empty => 0,
        Value::Bool(_) => 1,
        Value::Int(_) => 2,
        Value::Float(_) => 3,
        Value::Text(_) => 4,
        Value::Bytes(_) => 5,
        Value::List(_) => 6,
        Value::Map(_) => 7,
    }
}
