//! Decodes range and instant metrics.

use super::{
    json,
    list,number::{ Real,Whole
    },
    search::Metrics,
    value::{Attribute, labels},
};
use crate::{failure::Failure, join::too_many};
use baton_ports::MetricsResult;
use baton_traceql::{Exemplar, Limits, Series, Steps};
use baton_types::SpanId;
use serde::Deserialize;

const MILLISECOND: u64 = 1_000_000;

#[derive(Deserialize)]
struct Reply {
    series: Option<Vec<Written>>,
    metrics: Option<Metrics>,
    status: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    labels: Option<Vec<Attribute>>,
    #[serde(default)]
    samples: Option<Vec<Sample>>,
    #[serde(default)]
    value: Real,
    #[serde(default)]
    exemplars: Option<Vec<Example>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    #[serde(default)]
    timestamp_ms: Whole,
    #[serde(default)]
    value: Real,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Example {
    #[serde(default)]
    labels: Option<Vec<Attribute>>,
    #[serde(default)]
    timestamp_ms: Whole,
    #[serde(default)]
    value: Real,
}

/// Kind of a metrics response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One value per interval, identified by its end.
    Range,
    /// A single value.
    Instant,
}

/// Decodes series over these intervals. An empty list may be absent; a body with neither member is invalid.
pub(crate) fn series(body: &[u8], steps: Steps, form: Form) -> Result<MetricsResult, Failure> {
    let reply: Reply = json(body)?;
    if reply.series.is_none() && reply.metrics.is_none() {
        return Err(Failure::Malformed("it has no series".to_owned()));
    }
    let limit = Limits::default().samples;
    let series = list(reply.series);
    // Every series gets one sample per interval, even if the response has fewer.
    if series.len().saturating_mul(steps.count()) > limit {
        return Err(Failure::Query(too_many(limit)));
    }
    let metrics = reply.metrics.unwrap_or_default();
    let given_up = reply.status.is_some_and(|status| status == "PARTIAL" || status == 1);
    let read = |written: Written| Series {
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

fn samples(written: Option<Vec<Sample>>, value: Real, steps: Steps, form: Form) -> Vec<Option<f64>> {
    let number = |value: Real| (!value.0.is_nan()).then_some(value.0);
    let mut samples = vec![None; steps.count()];
    match form {
        Form::Instant => {
            if let Some(only) = samples.first_mut() {
                *only = number(value);
            }
        }
        Form::Range => {
            for sample in list(written) {
                // The end of an interval is exclusive.
                let within = sample.timestamp_ms.0.saturating_mul(MILLISECOND).saturating_sub(1);
                if let Some(place) = steps.index(within).and_then(|index| samples.get_mut(index)) {
                    *place = number(sample.value);
                }
            }
        }
    }
    samples
}

/// A Tempo always names the trace, but not always the span.
fn exemplar(written: Example) -> Option<Exemplar> {
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
