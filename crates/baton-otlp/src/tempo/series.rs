//! Messages of metrics queries.

use super::{
    SearchMetrics,
    messages::{as_text, attributes},
};
use crate::proto::KeyValue;
use prost::Message;
use serde::{Serialize, Serializer};

/// Series over time.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct QueryRangeResponse {
    /// Series by labels.
    #[prost(message, repeated, tag = "1")]
    pub series: Vec<TimeSeries>,
    /// Query statistics.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<SearchMetrics>,
}

/// A time series.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct TimeSeries {
    /// Labels that identify the series.
    #[prost(message, repeated, tag = "1")]
    #[serde(serialize_with = "attributes")]
    pub labels: Vec<KeyValue>,
    /// Samples by time.
    #[prost(message, repeated, tag = "2")]
    pub samples: Vec<Sample>,
    /// Exemplar spans.
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exemplars: Vec<Exemplar>,
}

/// Value of one interval.
#[derive(Clone, Copy, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// End of the interval.
    #[prost(int64, tag = "2")]
    #[serde(serialize_with = "moment")]
    pub timestamp_ms: i64,
    /// Measured value.
    #[prost(double, tag = "1")]
    #[serde(serialize_with = "number")]
    pub value: f64,
}

/// Exemplar span.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exemplar {
    /// Trace and span id.
    #[prost(message, repeated, tag = "1")]
    #[serde(serialize_with = "attributes")]
    pub labels: Vec<KeyValue>,
    /// Measured value.
    #[prost(double, tag = "2")]
    #[serde(serialize_with = "number")]
    pub value: f64,
    /// Start time of the span.
    #[prost(int64, tag = "3")]
    #[serde(serialize_with = "moment")]
    pub timestamp_ms: i64,
}

/// One value per series.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct QueryInstantResponse {
    /// Series by labels.
    #[prost(message, repeated, tag = "1")]
    pub series: Vec<InstantSeries>,
    /// Query statistics.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<SearchMetrics>,
}

/// A series over one interval.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct InstantSeries {
    /// Labels that identify the series.
    #[prost(message, repeated, tag = "1")]
    #[serde(serialize_with = "attributes")]
    pub labels: Vec<KeyValue>,
    /// Measured value.
    #[prost(double, tag = "2")]
    #[serde(serialize_with = "number")]
    pub value: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn moment<S: Serializer>(millis: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    as_text(&u64::try_from(*millis).unwrap_or(0), serializer)
}

/// Non-finite numbers are serialized as text.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match *number {
        number if number.is_finite() => serializer.serialize_f64(number),
        number if number.is_nan() => serializer.serialize_str("NaN"),
        number if number > 0.0 => serializer.serialize_str("Infinity"),
        _ => serializer.serialize_str("-Infinity"),
    }
}
