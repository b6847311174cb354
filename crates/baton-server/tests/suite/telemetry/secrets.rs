//! Spans contain no credentials and no request content.

use super::{SpanCollector, mcp::served};
use crate::bindings::{headers, raw};
use http_body_util::BodyExt as _;
use serde_json::json;
use std::sync::Arc;

const MARKER: &str = "m4rk3r";

#[tokio::test]
async fn no_span_has_a_token_a_query_a_header_or_a_body() {
    let spans = Arc::new(SpanCollector::default());
    let app = served(&spans);
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": MARKER}],
        "metadata": {"note": MARKER}});
    let rpc = |method: &str, params: serde_json::Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    };
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": MARKER, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let called = json!({"name": "get_weather", "arguments": {"location": MARKER}, "_meta": meta});
    let read = json!({"uri": format!("file:///x?key={MARKER}"), "_meta": meta});
    let mut count = 0;
    for (method, path, body) in [
        ("POST", "/agents/weather", rpc("SendMessage", json!({"message": message}))),
        ("POST", "/agents/weather", rpc("SendStreamingMessage", json!({"message": message}))),
        ("POST", "/agents/weather/message:send", json!({"message": message}).to_string()),
        ("POST", "/agents/weather", format!("{{\"{MARKER}\"")),
        ("GET", "/agents/weather/tasks", String::new()),
        ("GET", "/api/v1/tasks/1", String::new()),
        ("POST", "/agents/weather/mcp", rpc("tools/call", called)),
        ("POST", "/agents/weather/mcp", rpc("resources/read", read)),
        ("POST", "/api/v1/agents/weather/tools/get_weather", json!({"location": MARKER}).to_string()),
        ("POST", "/nowhere", MARKER.to_owned()),
    ] {
        let bearer = format!("Bearer {MARKER}");
        let mut given = vec![
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("cookie", MARKER),
            ("user-agent", MARKER),
            ("tracestate", "a=m4rk3r"),
        ];
        if path.ends_with("/mcp") {
            let name = if body.contains("tools/call") { "tools/call" } else { "resources/read" };
            given.extend([("mcp-protocol-version", "2026-07-28"), ("mcp-method", name)]);
        }
        let response = raw(&app, method, &format!("{path}?token={MARKER}"), headers(&given), body).await;
        drop(response.into_body().collect().await.unwrap());
        for span in spans.take() {
            assert!(!format!("{span:?}").contains(MARKER), "{method} {path}: {span:?}");
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} spans were checked");
}
