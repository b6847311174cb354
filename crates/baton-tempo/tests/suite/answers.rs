//! Responses as recorded from a real Tempo.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, query, search, span, tags, trace_id},
    scripted_tempo::{ScriptedReply, ScriptedTempo},
};
use baton_otlp::{Encoding, tempo};
use baton_span_ports::{SpanBatch, SpanStore, TimeRange};
use baton_traceql::{AttributeRef, AttributeScope, Field, Intrinsic, Steps};
use http::StatusCode;

const FOUND: &str = r#"{"traces":[{"traceID":"2f3e0cee77ae5dc9c17ade3689eb2e54","rootServiceName":"checkout-agents",
 "rootTraceName":"invoke_agent orchestrator","startTimeUnixNano":"1794767304664938900","durationMs":12,
 "spanSet":{"spans":[],"matched":1},
 "spanSets":[{"spans":[{"spanID":"563d623c76514f8e","name":"insight.decision","startTimeUnixNano":"1794767304665000000",
   "durationNanos":"2827","attributes":[{"key":"insight.type","value":{"stringValue":"decision"}},
   {"key":"status","value":{"stringValue":"error"}},{"key":"n","value":{"intValue":"9007199254740993"}},
   {"key":"list","value":{"arrayValue":{"values":[{"doubleValue":0.5},{"boolValue":true}]}}}]}],"matched":4,
   "attributes":[{"key":"by(span.insight.type)","value":{"stringValue":"decision"}}]}],
 "serviceStats":{"checkout-agents":{"spanCount":4,"errorCount":1}}},
 {"traceID":"1","rootServiceName":"<root span not yet received>","startTimeUnixNano":"1794767304664938901",
 "spanSet":{"spans":[{"spanID":"2","startTimeUnixNano":"1794767304664938901","durationNanos":"1"}]}}],
 "metrics":{"inspectedTraces":1,"inspectedBytes":"21114","completedJobs":1,"totalJobs":2}}"#;

const SERIES: &str = r#"{"series":[{"labels":[{"key":"span.tool","value":{"stringValue":"weather"}}],
 "samples":[{"timestampMs":"1794830460000","value":1.5},{"timestampMs":"1794830520000"},
 {"timestampMs":"1794830580000","value":"NaN"}],
 "exemplars":[{"labels":[{"key":"trace:id","value":{"stringValue":"2f3e0cee77ae5dc9c17ade3689eb2e54"}}],"value":1,
 "timestampMs":"1794830440000"}]}],"metrics":{"inspectedSpans":"12","inspectedBytes":"300"}}"#;

const INSTANT: &str = r#"{"series":[{"labels":[{"key":"p","value":{"doubleValue":0.9}}],"value":0.25}],"metrics":{}}"#;

const TAGS: &str = r#"{"scopes":[{"name":"span","tags":["tool","agent.id"]},{"name":"resource","tags":["service.name"]},
 {"name":"intrinsic","tags":["duration"]}],"metrics":{}}"#;

const VALUES: &str = r#"{"tagValues":[{"type":"string","value":"weather"},{"type":"int","value":"3"},
 {"type":"float","value":"0.5"},{"type":"bool","value":"true"},{"type":"duration","value":"1.5s"},
 {"type":"keyword","value":"error"},{"type":"int","value":"many"}],"metrics":{}}"#;

#[tokio::test]
async fn responses_are_parsed() {
    let server = ScriptedTempo::start(|asked| match asked.path.as_str() {
        "/api/search" => ScriptedReply::Json(FOUND.to_owned()),
        "/api/metrics/query_range" => ScriptedReply::Json(SERIES.to_owned()),
        "/api/metrics/query" => ScriptedReply::Json(INSTANT.to_owned()),
        "/api/v2/search/tags" => ScriptedReply::Json(TAGS.to_owned()),
        path if path.starts_with("/api/v2/search/tag/") => ScriptedReply::Json(VALUES.to_owned()),
        _ => ScriptedReply::Status(StatusCode::NOT_FOUND, "page not found"),
    })
    .await;
    let clock = FakeClock::at(NOON);
    let store = server.store(&clock);
    insta::assert_debug_snapshot!("search", store.search(search("{ }")).await.expect("found"));

    let steps = Steps::cover(NOON * SECOND, (NOON + 180) * SECOND, 60 * SECOND).expect("steps");
    let series = store.metrics(metrics("{ } | rate() by (span.tool)", steps)).await.expect("measured");
    insta::assert_debug_snapshot!("series", series);
    let whole = Steps::single(NOON * SECOND - 7, NOON * SECOND + 5);
    let ask = metrics("{ } | quantile_over_time(duration, 0.9)", whole);
    insta::assert_debug_snapshot!("instant", store.metrics(ask).await.expect("measured"));

    insta::assert_debug_snapshot!("tags", store.tags(tags()).await.expect("tags"));
    let odd = AttributeRef { scope: AttributeScope::Span, of_parent: false, name: "a b/c+d".to_owned() };
    let values = store.tag_values(Field::Attribute(odd), tags()).await.expect("values");
    insta::assert_debug_snapshot!("values", values);
    store.tag_values(Field::Intrinsic(Intrinsic::Status), tags()).await.expect("values");

    let request_line = |asked: &super::scripted_tempo::ReceivedRequest| format!("{} {:?}", asked.path, asked.pairs);
    insta::assert_debug_snapshot!("asked", server.asked().iter().map(request_line).collect::<Vec<_>>());
}

#[tokio::test]
async fn traces_are_read_from_api_v2_or_v1() {
    let spans = vec![span(1, 1, NOON * SECOND, "a"), span(1, 2, NOON * SECOND + 5, "b")];
    let (second, first) = (spans.clone(), spans.clone());
    let server = ScriptedTempo::start(move |asked| {
        assert_eq!(asked.headers["accept"], "application/protobuf");
        let (new, old) = (format!("/api/v2/traces/{}", trace_id(1)), format!("/api/traces/{}", trace_id(2)));
        match asked.path.as_str() {
            path if path == new => {
                ScriptedReply::Protobuf(tempo::write(&tempo::trace_by_id(&second), Encoding::Protobuf))
            }
            path if path == old => ScriptedReply::Protobuf(tempo::write(&tempo::trace(&first), Encoding::Protobuf)),
            _ => ScriptedReply::Status(StatusCode::NOT_FOUND, ""),
        }
    })
    .await;
    let store = server.store(&FakeClock::at(NOON));
    assert_eq!(store.trace(trace_id(1)).await, Ok(spans.clone()), "API v2");
    assert_eq!(store.trace(trace_id(2)).await, Ok(spans), "API v1");
    assert_eq!(store.trace(trace_id(3)).await, Ok(Vec::new()), "unknown");
}

#[tokio::test]
async fn ingest_is_rejected() {
    let server = ScriptedTempo::start(|_| ScriptedReply::Nothing).await;
    let store = server.store(&FakeClock::at(NOON));
    let refused = store.ingest(SpanBatch::default()).await.expect_err("refused").to_string();
    assert!(refused.ends_with("is read-only; send spans to its OTLP port"), "{refused}");
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn aliases_are_queried_and_results_use_the_requested_names() {
    let server = ScriptedTempo::start(|_| {
        let attribute = r#"{"key":"gen_ai.agent.id","value":{"stringValue":"planner"}}"#;
        let span = format!(r#"{{"spanID":"2","attributes":[{attribute},{{"key":"other","value":{{"intValue":1}}}}]}}"#);
        ScriptedReply::Json(format!(r#"{{"traces":[{{"traceID":"1","spanSets":[{{"spans":[{span}]}}]}}]}}"#))
    })
    .await;
    let store = server.store(&FakeClock::at(NOON));
    let mut ask = search("{ span.agent.id = \"planner\" } | select(span.other)");
    ask.aliases = true;
    ask.range = TimeRange::ALL;
    let found = store.search(ask).await.expect("found");
    let attributes = &found.traces[0].spansets[0].spans[0].attributes;
    let keys: Vec<&str> = attributes.iter().map(|(key, _)| key.as_ref()).collect();
    assert_eq!(keys, ["agent.id", "other"]);
    let asked = server.asked();
    let sent = query(asked[0].pair("q"));
    let expect = "{ span.agent.id = \"planner\" || span.gen_ai.agent.id = \"planner\" } | select(span.other) \
                  with(most_recent=true)";
    assert_eq!(sent.to_string(), expect);
}
