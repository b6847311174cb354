//! Tempo's query API.

use super::{FailingSpanStore, FullResponse, filled, get, surface, with_query};
use axum::Router;
use baton_otlp::tempo::{SearchResponse, SearchTagsV2Response, Trace, TraceByIdResponse};
use baton_span_ports::{SpanBatch, SpanStore as _, SpanStoreError};
use prost::Message as _;
use serde_json::{Value, json};

const PROTOBUF: &[(&str, &str)] = &[("accept", "application/protobuf")];

async fn found(app: &Router, pairs: &[(&str, &str)]) -> (Value, FullResponse) {
    let got = get(app, &with_query("/tempo/api/search", pairs), &[]).await;
    assert_eq!(got.status, 200, "{pairs:?} {}", got.text());
    (serde_json::from_slice(&got.body).unwrap(), got)
}

async fn count(app: &Router, pairs: &[(&str, &str)]) -> usize {
    found(app, pairs).await.0["traces"].as_array().unwrap().len()
}

#[tokio::test]
async fn search_returns_traces_and_the_canonical_query() {
    let (app, _store) = filled().await;
    let query = "{ insight.type = 'decision' } | select(insight.confidence, tokens, insight.applies_to)";
    let (mut answer, got) = found(&app, &[("q", query)]).await;
    assert!(answer["metrics"]["inspectedTraces"].as_u64().unwrap() > 0);
    answer["metrics"]["inspectedBytes"] = json!("some");
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap());
    let wanted = "{ span.insight.type = \"decision\" } | \
                  select(span.insight.confidence, .tokens, span.insight.applies_to)";
    assert_eq!(got.header("x-baton-canonical-query"), wanted);
    assert_ne!(got.header("x-baton-warnings"), "");
    let strict = got.header("x-baton-canonical-query").to_owned();
    let (_, again) = found(&app, &[("q", &strict), ("strict", "1")]).await;
    assert_eq!((again.header("x-baton-canonical-query"), again.header("x-baton-warnings")), (strict.as_str(), ""));
    let (_, shouted) = found(&app, &[("q", "{ name = \"é\" && tokens % 2 = 1 }")]).await;
    assert!(shouted.header("x-baton-canonical-query").contains("%C3%A9"), "{:?}", shouted.headers);
    assert!(shouted.header("x-baton-canonical-query").contains("%25"), "{:?}", shouted.headers);
    let got = get(&app, &with_query("/tempo/api/search", &[("q", &strict)]), PROTOBUF).await;
    assert_eq!(got.header("content-type"), "application/protobuf");
    assert_eq!(SearchResponse::decode(got.body.as_slice()).unwrap().traces[0].trace_id, "0a".repeat(16));
}

#[tokio::test]
async fn a_search_is_narrowed_down() {
    let (app, _store) = filled().await;
    for (pairs, expect) in [
        (vec![], 1),
        (vec![("q", "{ }"), ("limit", "0")], 1),
        (vec![("q", "{ status = error } >> { span.insight.type = \"decision\" }")], 1),
        (vec![("q", "{ span.insight.type = \"lesson\" }")], 0),
        (vec![("q", "{ span.insight.type = \"decision\" } | select(span.insight.summary) | rate() > 0")], 1),
        (vec![("q", "{ }"), ("start", "1794767304"), ("end", "1794767304")], 1),
        (vec![("q", "{ }"), ("end", "1794767303")], 0),
        (vec![("q", "{ }"), ("start", "1794767305")], 0),
        (vec![("tags", "service.name=checkout tokens=17")], 1),
        (vec![("tags", "service.name=\"another one\"")], 0),
        (vec![("tags", "name=\"insight.decision\" status.code=unset")], 1),
        (vec![("tags", "service.name=checkout"), ("minDuration", "12ms"), ("maxDuration", "0.012s")], 1),
        (vec![("minDuration", "13ms")], 0),
    ] {
        assert_eq!(count(&app, &pairs).await, expect, "{pairs:?}");
    }
    let spans = async |spss: &str| {
        let (answer, _) = found(&app, &[("q", "{ }"), ("spss", spss)]).await;
        answer["traces"][0]["spanSets"][0]["spans"].as_array().unwrap().len()
    };
    assert_eq!((spans("1").await, spans("3").await), (1, 2));
    let (_, got) = found(&app, &[("q", "{ }"), ("limit", "100000")]).await;
    assert_eq!(got.header("x-baton-warnings"), "limit is capped at 5000");
}

#[tokio::test]
async fn tags_parameter_has_a_pair_limit() {
    let (app, _store) = filled().await;
    let asked = async |pairs: usize| get(&app, &format!("/tempo/api/search?tags={}", "a=+".repeat(pairs)), &[]).await;
    let most = asked(128).await;
    assert_eq!(most.status, 200, "{}", most.text());
    for pairs in [129, 20_000] {
        let refused = asked(pairs).await;
        assert_eq!(
            (refused.status, refused.text().as_str()),
            (400, "invalid tags: there are more than 128 pairs"),
            "{pairs}"
        );
    }
}

#[tokio::test]
async fn a_trace_is_given_by_id() {
    let (app, _store) = filled().await;
    let id = "0a".repeat(16);
    // Leading zeros may be omitted.
    let short = id.trim_start_matches('0').to_owned();
    for id in [&id, &short] {
        let first = get(&app, &format!("/tempo/api/traces/{id}"), &[]).await;
        let second = get(&app, &format!("/tempo/api/v2/traces/{id}?start=1&end=2"), &[]).await;
        let (first, second): (Value, Value) =
            (serde_json::from_slice(&first.body).unwrap(), serde_json::from_slice(&second.body).unwrap());
        assert_eq!(first["batches"], second["trace"]["resourceSpans"]);
        assert_eq!(first["batches"][0]["scopeSpans"][0]["spans"][0]["traceId"], "CgoKCgoKCgoKCgoKCgoKCg==");
    }
    let first = get(&app, &format!("/tempo/api/traces/{id}"), PROTOBUF).await;
    let second = get(&app, &format!("/tempo/api/v2/traces/{id}"), PROTOBUF).await;
    let first = Trace::decode(first.body.as_slice()).unwrap();
    assert_eq!(TraceByIdResponse::decode(second.body.as_slice()).unwrap().trace.as_ref(), Some(&first));
    assert_eq!(first.resource_spans[0].scope_spans[0].spans.len(), 2);
    let unknown = get(&app, "/tempo/api/v2/traces/ff", &[]).await;
    assert_eq!((unknown.status, unknown.text().as_str()), (200, r#"{"trace":{"resourceSpans":[]},"metrics":{}}"#));
}

#[tokio::test]
async fn names_and_values_of_attributes() {
    let (app, _store) = filled().await;
    let mut told = String::new();
    for path in [
        "/tempo/api/echo",
        "/tempo/ready",
        "/tempo/api/status/buildinfo",
        "/tempo/api/search/tags",
        "/tempo/api/v2/search/tags",
        "/tempo/api/v2/search/tags?scope=event&limit=5",
        "/tempo/api/v2/search/tags?scope=intrinsic",
        "/tempo/api/v2/search/tag/resource.service.name/values",
        "/tempo/api/v2/search/tag/.tokens/values?q=%7B%20.a%20%3D",
        "/tempo/api/v2/search/tag/span.insight.confidence/values",
        "/tempo/api/v2/search/tag/status/values",
        "/tempo/api/v2/search/tag/kind/values",
        "/tempo/api/v2/search/tag/name/values",
        "/tempo/api/v2/search/tag/event.evidence.ref/values",
        "/tempo/api/search/tag/service.name/values",
        "/tempo/api/search/tag/insight.type/values?start=1794767304&end=1794767305",
    ] {
        let got = get(&app, path, &[]).await;
        told.push_str(&format!("{path}\n  {} {} {}\n", got.status, got.header("content-type"), got.text()));
    }
    insta::assert_snapshot!(told);
    let got = get(&app, "/tempo/api/v2/search/tags", PROTOBUF).await;
    assert_eq!(SearchTagsV2Response::decode(got.body.as_slice()).unwrap().scopes[0].name, "span");
}

#[tokio::test]
async fn tag_names_and_values_resolve_key_aliases() {
    let (app, store) = filled().await;
    let mut span = super::spans().remove(0);
    span.trace = baton_types::TraceId([7; 16]);
    span.attributes = vec![("gen_ai.agent.id".into(), "planner".into()), ("plan".into(), "long".into())];
    store.ingest(SpanBatch { spans: vec![span], mark: None }).await.unwrap();
    let query = ("q", "{ span.agent.id = \"planner\" }");
    for (strict, known) in [("0", true), ("1", false)] {
        for path in ["/tempo/api/v2/search/tags", "/tempo/api/v2/search/tag/span.plan/values"] {
            let got = get(&app, &with_query(path, &[query, ("strict", strict)]), &[]).await;
            let text = got.text();
            assert_eq!(text.contains("\"plan\"") || text.contains("\"long\""), known, "{path} {strict}: {text}");
        }
    }
}

#[tokio::test]
async fn a_trace_that_is_too_large_is_refused_for_good() {
    let app = surface(FailingSpanStore::with(SpanStoreError::TooLarge("the trace is too large".to_owned())), |_| {});
    let got = get(&app, "/tempo/api/v2/traces/0a", &[]).await;
    assert_eq!((got.status, got.text().as_str()), (422, "the trace is too large (BTN-2026)"));
    assert_eq!(got.header("retry-after"), "");
}
