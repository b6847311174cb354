//! Who may send spans, and who may read those of all agents.

use super::house::{House, bearer, token};
use crate::speak::{headers, raw};
use baton_http::SpanPorts;
use baton_spans::{EmbeddedSpans, Options};

#[tokio::test]
async fn spans_are_sent_and_read_with_scopes_for_all_agents() {
    let store = EmbeddedSpans::in_memory(Options::default()).unwrap();
    let house = House::of(|_| {}, |options| options.spans = Some(SpanPorts { store }));
    for (scopes, reads, sends) in [
        ("", false, false),
        ("openid", false, false),
        ("read:weather", false, false),
        ("read", true, false),
        ("call:weather", false, false),
        ("read call:weather", true, false),
        ("call", true, true),
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
            let response = raw(&house.app, method, path, headers(&given), body).await;
            let denied = house.denied.take();
            let grpc = response.headers().get("grpc-status").is_some_and(|status| status == "7");
            let refused = response.status() == 403 || grpc;
            assert_eq!((refused, denied.len()), (!allowed, usize::from(!allowed)), "{scopes:?} {path} {response:?}");
        }
    }
    for path in ["/v1/traces", "/tempo/api/search", "/tempo/api/echo", "/api/v1/spans/tail", "/api/v1/spans/export"] {
        let method = if path == "/v1/traces" { "POST" } else { "GET" };
        assert_eq!(raw(&house.app, method, path, headers(&[]), "").await.status(), 401, "{path}");
    }
}
