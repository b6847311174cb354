//! Metrics results as Tempo messages.

use baton_otlp::{
    attribute,
    proto::KeyValue,
    tempo::{Exemplar, InstantSeries, QueryInstantResponse, QueryRangeResponse, Sample, SearchMetrics, TimeSeries},
};
use baton_span_ports::MetricsResult;
use baton_traceql::{Series, Steps};
use baton_types::SpanValue;

const MILLISECOND: u64 = 1_000_000;

/// Range response over these intervals; intervals without a value are omitted.
pub(crate) fn query_range_response(answer: &MetricsResult, steps: &Steps) -> QueryRangeResponse {
    let series = answer.series.iter().map(|series| TimeSeries {
        labels: labels(series),
        samples: samples(series, steps),
        exemplars: series.exemplars.iter().map(exemplar).collect(),
    });
    QueryRangeResponse { series: series.collect(), metrics: Some(metrics(answer)) }
}

/// Instant response; series without a value are omitted.
pub(crate) fn query_instant_response(answer: &MetricsResult) -> QueryInstantResponse {
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
