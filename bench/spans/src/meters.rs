//! Cost of the process meters per ended span.

use crate::{figures::quantile, generate::SpanGenerator};
use anyhow::Result;
use baton_meters::Meters;
use baton_telemetry::{SpanObserver as _, SpanOrigin, TelemetrySettings, names};
use baton_types::{AttributeKey, Span, SpanKind, SpanValue};
use serde_json::{Value as Json, json};
use std::{hint::black_box, time::Instant};

const ROUNDS: usize = 9;

/// Observes `count` spans of each kind, in several rounds, and reports the nanoseconds per span.
pub fn meters(count: u64) -> Result<Json> {
    let generator = SpanGenerator::new();
    let mut rows = Vec::new();
    for (kind, spans) in kinds(&generator) {
        let meters = Meters::new(&SpanOrigin::new(TelemetrySettings::default(), "bench"), 0);
        let mut took = Vec::new();
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            for index in 0..count {
                let span = &spans[usize::try_from(index).unwrap_or_default() % spans.len()];
                meters.observe(black_box(span));
            }
            took.push(begun.elapsed().as_secs_f64() * 1e9 / count as f64);
        }
        rows.push(json!({ "kind": kind, "ns_p50": quantile(&mut took, 0.5), "ns_min": quantile(&mut took, 0.0) }));
    }
    Ok(json!({ "spans": count, "rounds": ROUNDS, "observe": rows }))
}

/// Spans of this process, with ten agents, models or tools, and one kind that no meter records.
fn kinds(generator: &SpanGenerator) -> Vec<(&'static str, Vec<Span>)> {
    let all = |kind: SpanKind, attributes: &dyn Fn(u64) -> Vec<(&'static str, SpanValue)>| {
        let span = |number: u64| {
            let own = attributes(number).into_iter().map(|(key, value)| (AttributeKey::Borrowed(key), value));
            let mut span = generator.span(number);
            span.kind = kind;
            span.attributes = own.chain(std::mem::take(&mut span.attributes)).collect();
            span
        };
        (0..10).map(span).collect()
    };
    let text = |word: &str, number: u64| SpanValue::from(format!("{word}-{number}"));
    vec![
        (
            "a model call",
            all(SpanKind::Client, &|number| {
                vec![
                    (names::GEN_AI_OPERATION_NAME, "chat".into()),
                    (names::GEN_AI_PROVIDER_NAME, "anthropic".into()),
                    (names::GEN_AI_REQUEST_MODEL, text("model", number)),
                    (names::GEN_AI_USAGE_INPUT_TOKENS, SpanValue::Int(1_000)),
                    (names::GEN_AI_USAGE_OUTPUT_TOKENS, SpanValue::Int(200)),
                ]
            }),
        ),
        (
            "a tool call",
            all(SpanKind::Internal, &|number| {
                vec![
                    (names::GEN_AI_OPERATION_NAME, "execute_tool".into()),
                    (names::GEN_AI_TOOL_NAME, text("tool", number)),
                    (names::GEN_AI_AGENT_NAME, "helper".into()),
                ]
            }),
        ),
        (
            "a request",
            all(SpanKind::Server, &|number| {
                vec![
                    (names::HTTP_REQUEST_METHOD, "POST".into()),
                    (names::HTTP_ROUTE, text("/v1/route", number)),
                    (names::HTTP_RESPONSE_STATUS_CODE, SpanValue::Int(200)),
                    (names::URL_SCHEME, "http".into()),
                ]
            }),
        ),
        ("a span of no meter", all(SpanKind::Internal, &|_| Vec::new())),
    ]
}
