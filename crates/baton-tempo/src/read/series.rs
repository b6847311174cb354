//! Decodes range and instant metrics.

use super::{
    list,
    number::{JsonF64, JsonU64},
    parse_json,
    search::QueryStatistics,
    value::{TempoAttribute, labels},
};
use crate::{failure::TempoError, join::sample_limit_error};
use baton_span_ports::MetricsResult;
use baton_traceql::{Exemplar, MetricsLimits, Series, Steps};
use baton_types::SpanId;
use serde::Deserialize;

const MILLISECOND: u64 = 1_000_000;

#[derive(Deserialize)]
struct SeriesReply {
    series: Option<Vec<SeriesEntry>>,
    metrics: Option<QueryStatistics>,
    status: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct SeriesEntry {
    #[serde(default)]
    labels: Option<Vec<TempoAttribute>>,
    #[serde(default)]
    samples: Option<Vec<SampleEntry>>,
    #[serde(default)]
    value: JsonF64,
    #[serde(default)]
    exemplars: Option<Vec<ExemplarEntry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SampleEntry {
    #[serde(default)]
    timestamp_ms: JsonU64,
    #[serde(default)]
    value: JsonF64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExemplarEntry {
    #[serde(default)]
    labels: Option<Vec<TempoAttribute>>,
    #[serde(default)]
    timestamp_ms: JsonU64,
    #[serde(default)]
    value: JsonF64,
}

/// Kind of a metrics response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeriesReplyKind {
    /// One value per interval, identified by its end.
    Range,
    /// A single value.
    Instant,
}

/// Decodes series over these intervals. An empty list may be absent; a body with neither member is invalid.
pub(crate) fn series(body: &[u8], steps: Steps, form: SeriesReplyKind) -> Result<MetricsResult, TempoError> {
    let reply: SeriesReply = parse_json(body)?;
    if reply.series.is_none() && reply.metrics.is_none() {
        return Err(TempoError::Malformed("it has no series".to_owned()));
    }
    let limit = MetricsLimits::default().samples;
    let series = list(reply.series);
    // Every series gets one sample per interval, even if the response has fewer.
    if series.len().saturating_mul(steps.count()) > limit {
        return Err(TempoError::Query(sample_limit_error(limit)));
    }
    let metrics = reply.metrics.unwrap_or_default();
    let given_up = reply.status.is_some_and(|status| status == "PARTIAL" || status == 1);
    let read = |written: SeriesEntry| Series {
        samples: samples(written.samples, written.value, steps, form),
        labels: labels(written.labels),
        exemplars: list(written.exemplars).into_iter().filter_map(exemplar).collect(),
    };
    Ok(MetricsResult {
        series: series.into_iter().map(read).collect(),
        inspected_spans: metrics.inspected_spans.0,
        inspected_bytes: metrics.inspected_bytes.0,
        partial: given_up || metrics.is_partial(),
    })
}

fn samples(written: Option<Vec<SampleEntry>>, value: JsonF64, steps: Steps, form: SeriesReplyKind) -> Vec<Option<f64>> {
    let number = |value: JsonF64| (!value.0.is_nan()).then_some(value.0);
    let mut samples = vec![None; steps.count()];
    match form {
        SeriesReplyKind::Instant => {
            if let Some(only) = samples.first_mut() {
                *only = number(value);
            }
        }
        SeriesReplyKind::Range => {
            for sample in list(written) {
                // The end of an interval is exclusive.
                let within = sample.timestamp_ms.0.saturating_mul(MILLISECOND).saturating_sub(1);
                if let Some(slot) = steps.index(within).and_then(|index| samples.get_mut(index)) {
                    *slot = number(sample.value);
                }
            }
        }
    }
    samples
}

/// A Tempo always names the trace, but not always the span.
fn exemplar(written: ExemplarEntry) -> Option<Exemplar> {
    let named = labels(written.labels);
    let of = |names: [&str; 2]| {
        let found = named.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.and_then(|(_, value)| value.as_text().map(str::to_owned))
    };
    Some(Exemplar {
        trace: of(["trace:id", "traceID"])?.parse().ok()?,
        span: of(["span:id", "spanID"]).and_then(|id| id.parse().ok()).unwrap_or(SpanId([0; 8])),
        at: written.timestamp_ms.0.saturating_mul(MILLISECOND),
        value: written.value.0,
    })
}
