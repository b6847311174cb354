//! Time series in Tempo's format.

use super::{FailingSpanStore, FullResponse, get, surface, with_query};
use crate::bindings::Headers;
use axum::Router;
use baton_otlp::tempo::{QueryInstantResponse, QueryRangeResponse};
use baton_ports::BoxFuture;
use baton_span_ports::{
    MetricsResult, SpanBatch, SpanFeed, SpanMetricsRequest, SpanStats, SpanStore, SpanStoreError, TagNames,
    TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::{Exemplar, Field, Series, Steps};
use baton_types::{Clock, Span, SpanId, SpanValue, Timestamp, TraceId};
use prost::Message as _;
use std::sync::{Arc, Mutex};

const SECOND: u64 = 1_000_000_000;

/// A store that records metrics requests and returns a fixed result.
struct RecordingSpanStore {
    answer: MetricsResult,
    requests: Mutex<Vec<SpanMetricsRequest>>,
    fallback: Arc<FailingSpanStore>,
}

impl SpanStore for RecordingSpanStore {
    fn metrics(&self, ask: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        self.requests.lock().unwrap().push(ask);
        Box::pin(std::future::ready(Ok(self.answer.clone())))
    }

    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        self.fallback.ingest(batch)
    }

    fn search(&self, ask: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        self.fallback.search(ask)
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        self.fallback.trace(id)
    }

    fn tags(&self, ask: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        self.fallback.tags(ask)
    }

    fn tag_values(&self, field: Field, ask: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        self.fallback.tag_values(field, ask)
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        self.fallback.subscribe()
    }

    fn mark(&self, name: &str) -> Option<u64> {
        self.fallback.mark(name)
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        self.fallback.stats()
    }
}

/// 2026-11-16 08:00:01.5 UTC.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_794_816_001_500)
    }
}

fn world(answer: MetricsResult) -> (Router, Arc<RecordingSpanStore>) {
    let fallback = FailingSpanStore::with(SpanStoreError::Busy);
    let store = Arc::new(RecordingSpanStore { answer, requests: Mutex::default(), fallback });
    let shared: Arc<dyn SpanStore> = Arc::<RecordingSpanStore>::clone(&store);
    (surface(shared, |options| options.http.access.clock = Arc::new(FixedClock)), store)
}

/// Two groups with missing, infinite and NaN values.
fn answer() -> MetricsResult {
    let exemplar = |number: u8, value| Exemplar {
        trace: TraceId([number; 16]),
        span: SpanId([number; 8]),
        at: 1_794_816_000_250_999_999 + u64::from(number) * SECOND,
        value,
    };
    let series = |labels: &[(&str, SpanValue)], samples: &[Option<f64>], exemplars: Vec<Exemplar>| Series {
        labels: labels.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        samples: samples.to_vec(),
        exemplars,
    };
    MetricsResult {
        series: vec![
            series(
                &[("span.tool", "weather".into()), ("p", SpanValue::Float(0.9))],
                &[Some(1.5), None, Some(0.0), Some(f64::NAN)],
                vec![exemplar(1, 0.25), exemplar(2, 0.5), exemplar(3, 1.0)],
            ),
            series(
                &[("span.tool", SpanValue::Empty), ("p", SpanValue::Float(0.9))],
                &[None, Some(f64::INFINITY), Some(f64::NEG_INFINITY), None],
                vec![exemplar(4, 7.0)],
            ),
        ],
        inspected_spans: 7,
        inspected_bytes: 21_114,
        partial: false,
    }
}

const NOTHING: Headers<'static> = &[];
const PROTOBUF: Headers<'static> = &[("accept", "application/protobuf")];

async fn range(app: &Router, pairs: &[(&str, &str)]) -> FullResponse {
    let got = get(app, &with_query("/tempo/api/metrics/query_range", pairs), NOTHING).await;
    assert_eq!(got.status, 200, "{pairs:?} {}", got.text());
    got
}

#[tokio::test]
async fn series_have_tempos_json_format() {
    let (app, store) = world(answer());
    let query = "{ agent.id = 'planner' } | quantile_over_time(duration, 0.9) by (span.tool)";
    let pairs = [("q", query), ("start", "1794816001"), ("end", "1794816005"), ("step", "1s"), ("exemplars", "3")];
    let got = range(&app, &pairs).await;
    assert_eq!(got.header("content-type"), "application/json");
    insta::assert_snapshot!("series", pretty(&got));
    let understood = got.header("x-baton-canonical-query").to_owned();
    assert!(understood.starts_with("{ span.agent.id = \"planner\" } | quantile_over_time("), "{understood}");
    assert!(got.header("x-baton-warnings").contains("agent.id"), "{:?}", got.headers);
    {
        let asked = store.requests.lock().unwrap();
        assert_eq!(asked[0].query.to_string(), understood);
        assert_eq!((asked[0].exemplars, asked[0].aliases), (3, true));
    }
    let instant = get(&app, &with_query("/tempo/api/metrics/query", &pairs[..3]), NOTHING).await;
    assert_eq!(instant.status, 200, "{}", instant.text());
    insta::assert_snapshot!("instant", pretty(&instant));
    let asked = store.requests.lock().unwrap().last().cloned().unwrap();
    assert_eq!(asked.steps, Steps::single(1_794_816_001 * SECOND, 1_794_816_005 * SECOND));
    assert_eq!(asked.exemplars, 0);
}

fn pretty(got: &FullResponse) -> String {
    serde_json::to_string_pretty(&serde_json::from_slice::<serde_json::Value>(&got.body).unwrap()).unwrap()
}

#[tokio::test]
async fn series_are_available_as_protobuf() {
    let (app, _) = world(answer());
    let pairs = [("q", "{ } | rate()"), ("start", "1794816001"), ("end", "1794816004"), ("step", "1s")];
    let got = get(&app, &with_query("/tempo/api/metrics/query_range", &pairs), PROTOBUF).await;
    assert_eq!((got.status, got.header("content-type")), (200, "application/protobuf"));
    let series = QueryRangeResponse::decode(got.body.as_slice()).unwrap().series;
    let times: Vec<i64> = series[0].samples.iter().map(|sample| sample.timestamp_ms).collect();
    assert_eq!(times, [1_794_816_002_000, 1_794_816_004_000], "end times of the non-empty intervals");
    assert_eq!((series[0].exemplars.len(), series[1].exemplars.len()), (3, 1));
    let got = get(&app, &with_query("/tempo/api/metrics/query", &pairs), PROTOBUF).await;
    let series = QueryInstantResponse::decode(got.body.as_slice()).unwrap().series;
    assert!(series.len() == 1 && series[0].value.is_nan(), "{series:?}");
}

/// Checks start, length and number of the requested intervals.
#[tokio::test]
async fn time_range_is_accepted_in_all_formats() {
    let (app, store) = world(MetricsResult::default());
    let now = 1_794_816_001_500_000_000;
    for (pairs, start, step, count) in [
        // The default is the last hour with an automatic step.
        (vec![], 1_794_812_400, 15, 241),
        (vec![("since", "10m")], 1_794_815_400, 2, 301),
        (vec![("since", "10m"), ("step", "60s")], 1_794_815_400, 60, 11),
        (vec![("since", "600"), ("step", "60")], 1_794_815_400, 60, 11),
        (vec![("end", "1794816000"), ("since", "5m"), ("step", "1m")], 1_794_815_700, 60, 5),
        // An end in the future is capped before the start is computed.
        (vec![("end", "1794819600"), ("since", "1h"), ("step", "1h")], 1_794_812_400, 3600, 2),
        (vec![("start", "1794812400"), ("end", "1794816000"), ("step", "15m")], 1_794_812_400, 900, 4),
        (
            vec![("start", "1794812400000000000"), ("end", "1794816000000000001"), ("step", "15m")],
            1_794_812_400,
            900,
            5,
        ),
        (
            vec![("start", "2026-11-16T07:00:00Z"), ("end", "2026-11-16T09:00:00+01:00"), ("step", "1h")],
            1_794_812_400,
            3600,
            1,
        ),
        // The first and the last interval are extended to full length.
        (vec![("start", "1794812401"), ("end", "1794815999"), ("step", "30m")], 1_794_812_400, 1800, 2),
    ] {
        let mut pairs = pairs;
        pairs.push(("q", "{ } | rate()"));
        range(&app, &pairs).await;
        let steps = store.requests.lock().unwrap().last().unwrap().steps;
        assert_eq!(
            (steps.start(), steps.seconds(), steps.count()),
            (start * SECOND, f64::from(step), count),
            "{pairs:?}"
        );
    }
    let got =
        get(&app, &with_query("/tempo/api/metrics/query", &[("q", "{ } | rate()"), ("since", "1m")]), NOTHING).await;
    assert_eq!(got.text(), r#"{"series":[],"metrics":{"completedJobs":1,"totalJobs":1}}"#);
    let asked = store.requests.lock().unwrap().last().unwrap().steps;
    assert_eq!(asked, Steps::single(now - 60 * SECOND, now));
}

#[tokio::test]
async fn omitted_data_is_reported() {
    let (app, store) = world(MetricsResult { partial: true, ..answer() });
    let pairs = |query, exemplars: Option<&'static str>| {
        let pairs = [("q", query), ("start", "1794816001"), ("end", "1794816004"), ("step", "1s"), ("strict", "1")];
        pairs.into_iter().chain(exemplars.map(|number| ("exemplars", number))).collect::<Vec<_>>()
    };
    let got = range(&app, &pairs("{ } | rate()", None)).await;
    let told: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
    assert_eq!(told["metrics"], serde_json::json!({ "inspectedBytes": "21114", "totalJobs": 1 }));
    assert!(got.header("x-baton-warnings").contains("too low"), "{:?}", got.headers);
    let got = range(&app, &pairs("{ } | rate()", Some("5000"))).await;
    assert!(got.header("x-baton-warnings").starts_with("exemplars is capped at 1000; "), "{:?}", got.headers);
    for (query, exemplars, expect) in [
        ("{ } | rate()", None, 100),
        ("{ } | rate() with (exemplars=false)", None, 0),
        ("{ } | rate() with (exemplars=7)", None, 7),
        ("{ } | rate() with (exemplars=true)", Some("2"), 2),
        ("{ } | rate()", Some("5000"), 1000),
    ] {
        let got = range(&app, &pairs(query, exemplars)).await;
        let asked = store.requests.lock().unwrap().last().cloned().unwrap();
        assert_eq!((asked.exemplars, asked.aliases), (expect, false), "{query} {exemplars:?}");
        let told: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
        let shown = told["series"].as_array().unwrap().iter();
        let shown: usize = shown.map(|series| series["exemplars"].as_array().map_or(0, Vec::len)).sum();
        assert_eq!(shown, expect.min(4), "{query} {exemplars:?}");
    }
}
