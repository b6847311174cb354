//! Converts metrics results to Tempo messages.

use super::{
    SearchMetrics,
    messages::{as_text, attributes},
};
use crate::{proto::KeyValue, span_messages::attribute};
use baton_ports::MetricsResult;
use baton_traceql::{Series, Steps};
use baton_types::SpanValue;
use prost::Message;
use serde::{Serialize, Serializer};

const MILLISECOND: u64 = 1_000_000;

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

/// Range response over these intervals; intervals without a value are omitted.
pub fn query_range_response(answer: &MetricsResult, steps: &Steps) -> QueryRangeResponse {
    let series = answer.series.iter().map(|series| TimeSeries {
        labels: labels(series),
        samples: samples(series, steps),
        exemplars: series.exemplars.iter().map(exemplar).collect(),
    });
    QueryRangeResponse { series: series.collect(), metrics: Some(metrics(answer)) }
}

/// Instant response; series without a value are omitted.
pub fn query_instant_response(answer: &MetricsResult) -> QueryInstantResponse {
    let series = answer.series.iter().filter_map(|series| {
        let value = series.samples.iter().copied().next_back().flatten()?;
        Some(InstantSeries { labels: labels(series), value })
    });
    QueryInstantResponse { series: series.collect(), metrics: Some(metrics(answer)) }
}

/// Statistics. A partial result is marked as in Tempo: fewer completed jobs than total jobs.
fn metrics(answer: &MetricsResult) -> SearchMetrics {
    SearchMetrics {
        inspected_traces: 0,
        inspected_bytes: answer.inspected_bytes,
        completed_jobs: u32::from(!answer.partial),
        total_jobs: 1,
    }
}

/// A missing label value is written as `nil`, as in Tempo.
fn labels(series: &Series) -> Vec<KeyValue> {
    let nil = SpanValue::from("nil");
    let known = |value| if matches!(value, &SpanValue::Empty) { &nil } else { value };
    series.labels.iter().map(|(key, value)| attribute(key, known(value))).collect()
}

fn samples(series: &Series, steps: &Steps) -> Vec<Sample> {
    let samples = series.samples.iter().enumerate().take(steps.count());
    samples
        .filter_map(|(index, value)| Some(Sample { timestamp_ms: millis(steps.end_of(index)), value: (*value)? }))
        .collect()
}

fn exemplar(exemplar: &baton_traceql::Exemplar) -> Exemplar {
    Exemplar {
        labels: vec![
            attribute("trace:id", &exemplar.trace.to_string().into()),
            attribute("span:id", &exemplar.span.to_string().into()),
        ],
        value: exemplar.value,
        timestamp_ms: millis(exemplar.at),
    }
}

fn millis(nanos: u64) -> i64 {
    i64::try_from(nanos / MILLISECOND).unwrap_or(i64::MAX)
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
