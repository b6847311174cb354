//! Scopes for sending and reading spans.

use super::{
    response_text::response_text,
    server::{TestServer, bearer, token},
};
use crate::bindings::{headers, raw};
use baton_http_telemetry::SpanPorts;
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use serde_json::json;

#[tokio::test]
async fn spans_are_sent_with_call_and_read_with_telemetry_read() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let server = TestServer::with_options(|_| {}, |options| options.telemetry.spans = Some(SpanPorts { store }));
    for (scopes, reads, sends) in [
        ("", false, false),
        ("openid", false, false),
        ("read:weather", false, false),
        ("read", false, false),
        ("call:weather", false, false),
        ("read call:weather", false, false),
        ("call", false, true),
        ("telemetry:read", true, false),
        ("read telemetry:read", true, false),
        ("call telemetry:read", true, true),
        ("admin", true, true),
    ] {
        let authorization = bearer(&token("acme", "ann", scopes));
        for (method, path, media_type, allowed) in [
            ("POST", "/v1/traces", "application/x-protobuf", sends),
            ("POST", "/otlp/v1/traces", "application/json", sends),
            ("POST", "/opentelemetry.proto.collector.trace.v1.TraceService/Export", "application/grpc", sends),
            ("GET", "/tempo/api/echo", "", reads),
            ("GET", "/tempo/ready", "", reads),
            ("GET", "/tempo/api/status/buildinfo", "", reads),
            ("GET", "/tempo/api/search", "", reads),
            ("GET", "/tempo/api/search/tags", "", reads),
            ("GET", "/tempo/api/v2/search/tags", "", reads),
            ("GET", "/tempo/api/search/tag/name/values", "", reads),
            ("GET", "/tempo/api/v2/search/tag/name/values", "", reads),
            ("GET", "/tempo/api/v2/traces/1", "", reads),
            ("GET", "/tempo/api/traces/1", "", reads),
            ("GET", "/api/v1/spans/stats", "", reads),
            ("GET", "/api/v1/spans/tail", "", reads),
            ("GET", "/api/v1/spans/export", "", reads),
        ] {
            let given = [("authorization", authorization.as_str()), ("content-type", media_type)];
            let body = if media_type == "application/json" { "{}" } else { "" };
            let response = raw(&server.app, method, path, headers(&given), body).await;
            let denied = server.audit.take();
            let grpc = response.headers().get("grpc-status").is_some_and(|status| status == "7");
            let refused = response.status() == 403 || grpc;
            assert_eq!((refused, denied.len()), (!allowed, usize::from(!allowed)), "{scopes:?} {path} {response:?}");
        }
    }
    for path in ["/v1/traces", "/tempo/api/search", "/tempo/api/echo", "/api/v1/spans/tail", "/api/v1/spans/export"] {
        let method = if path == "/v1/traces" { "POST" } else { "GET" };
        assert_eq!(raw(&server.app, method, path, headers(&[]), "").await.status(), 401, "{path}");
    }
}

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

fn server_with_store() -> TestServer {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    TestServer::with_options(|_| {}, |options| options.telemetry.spans = Some(SpanPorts { store }))
}

/// Without the scope, a store with spans cannot be distinguished from an empty one.
#[tokio::test]
async fn spans_of_others_look_like_an_empty_store() {
    let (full, empty) = (server_with_store(), server_with_store());
    let sender = bearer(&token("acme", "ann", "call"));
    let span = json!({
        "traceId": TRACE, "spanId": "b7ad6b7169203331", "name": "handoff.request",
        "startTimeUnixNano": "1", "endTimeUnixNano": "2",
        "attributes": [{"key": "handoff.task", "value": {"stringValue": "the merger"}}],
    });
    let batch = json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).to_string();
    let given = headers(&[("authorization", &sender), ("content-type", "application/json")]);
    assert_eq!(raw(&full.app, "POST", "/v1/traces", given, batch).await.status(), 200);
    let paths = [
        format!("/tempo/api/traces/{TRACE}"),
        format!("/tempo/api/v2/traces/{TRACE}"),
        "/tempo/api/search?q=%7B%20%7D".to_owned(),
        "/tempo/api/search/tags".to_owned(),
        "/tempo/api/v2/search/tags".to_owned(),
        "/tempo/api/search/tag/handoff.task/values".to_owned(),
        "/tempo/api/v2/search/tag/span.handoff.task/values".to_owned(),
        "/tempo/api/metrics/query_range?q=%7B%20%7D%20%7C%20rate()".to_owned(),
        "/tempo/api/metrics/query?q=%7B%20%7D%20%7C%20rate()".to_owned(),
        "/api/v1/spans/stats".to_owned(),
        "/api/v1/spans/export".to_owned(),
        "/api/v1/spans/tail".to_owned(),
        "/metrics".to_owned(),
    ];
    for scopes in ["call", "read", "read call", "call:weather"] {
        let stranger = bearer(&token("acme", "bob", scopes));
        for path in &paths {
            let mut told = Vec::new();
            for server in [&full, &empty] {
                let response = raw(&server.app, "GET", path, headers(&[("authorization", &stranger)]), "").await;
                assert_eq!(response.status(), 403, "{scopes} {path}");
                told.push(response_text(response).await);
            }
            assert_eq!(told[0], told[1], "{scopes} {path}");
            assert!(told[0].contains("BTN-1011") && told[0].contains("telemetry:read"), "{}", told[0]);
        }
    }
    let reader = bearer(&token("acme", "grafana", "telemetry:read"));
    let found = raw(&full.app, "GET", &paths[0], headers(&[("authorization", &reader)]), "").await;
    assert!(response_text(found).await.contains("the merger"));
}
