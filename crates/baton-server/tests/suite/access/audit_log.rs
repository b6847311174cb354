//! The audit log has one entry for every denial and for every change by an administrator.

use super::{
    open::EmptyPeerRegistry,
    server::{TestServer, bearer, token, wait_until_idle},
    walk_requests::World,
};
use crate::{
    bindings::{framed, headers, raw},
    mcp_endpoints,
};
use baton_engine::NoPeers;
use baton_http::RateLimit;
use baton_http_api::PeerPorts;
use baton_types::Digest;
use http::HeaderMap;
use serde_json::json;

fn codes(server: &TestServer) -> Vec<&'static str> {
    server.audit.take().iter().map(|denial| denial.code.code).collect()
}

const UPGRADE: [(&str, &str); 4] = [
    ("connection", "upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

#[tokio::test(start_paused = true)]
async fn every_denial_is_audited_once() {
    let world = World::new(Digest::compute(b"nobody's")).await;
    let (app, json) = (&world.server.app, "application/json");
    let known = |scopes: &str| bearer(&token("acme", "ann", scopes));
    let foreign = bearer(&token("acme", "bob", "call"));
    let (read, clock, admin) = (known("read"), known("call:clock"), known("admin"));
    let response = format!("/v1/responses/{}", world.response);
    let call = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).to_string();
    let secret = json!({"url": "https://example.com", "bearer": "env://HOME"}).to_string();
    let named = json!({"model": "weather", "input": [{"type": "item_reference", "id": world.output}]}).to_string();
    for (what, method, path, authorization, content_type, body, expect) in [
        ("no token", "GET", "/api/v1/tasks/x", "", "", String::new(), "BTN-1010"),
        ("no token over JSON-RPC", "POST", "/agents/weather", "", json, call("GetTask"), "BTN-1010"),
        ("no token over MCP", "POST", "/mcp", "", json, call("tools/list"), "BTN-1010"),
        ("a wrong token", "GET", "/tempo/api/search", "Bearer who", "", String::new(), "BTN-1010"),
        ("no token for a WebSocket", "GET", "/v1/responses", "", "upgrade", String::new(), "BTN-1010"),
        ("a WebSocket of a reader", "GET", "/v1/responses", &read, "upgrade", String::new(), "BTN-1011"),
        ("REST", "POST", "/agents/weather/message:send", &read, json, "{}".to_owned(), "BTN-1011"),
        ("JSON-RPC", "POST", "/agents/weather", &clock, json, call("GetTask"), "BTN-1011"),
        ("spans", "GET", "/tempo/api/search", &read, "", String::new(), "BTN-1011"),
        ("meters", "GET", "/metrics", &read, "", String::new(), "BTN-1011"),
        ("tokens", "POST", "/api/v1/tokens", &read, json, "{}".to_owned(), "BTN-1011"),
        ("an MCP endpoint", "POST", "/agents/weather/mcp", &clock, json, call("tools/list"), "BTN-1011"),
        ("a tool over MCP", "POST", "/agents/weather/mcp", &read, json, call("tools/call"), "BTN-1011"),
        ("what is for the owner", "POST", "/api/v1/agents", &admin, json, secret, "BTN-1011"),
        ("a foreign response", "GET", &response, &foreign, "", String::new(), "BTN-2034"),
        ("a foreign item", "POST", "/v1/responses", &foreign, json, named, "BTN-2034"),
        ("a notification", "POST", "/api/v1/peers/notifications/x", "", json, "{}".to_owned(), "BTN-1010"),
        ("another host", "GET", "/agents", "", "host", String::new(), "BTN-1005"),
    ] {
        let mut pairs = vec![];
        match content_type {
            "" => {}
            "upgrade" => pairs.extend(UPGRADE),
            "host" => pairs.push(("host", "evil.example.com")),
            content_type => pairs.push(("content-type", content_type)),
        }
        if !authorization.is_empty() {
            pairs.push(("authorization", authorization));
        }
        raw(app, method, path, headers(&pairs), body).await;
        wait_until_idle().await;
        assert_eq!(codes(&world.server), [expect], "{what}");
    }
    let pairs = [("content-type", "application/grpc"), ("baton-agent", "weather"), ("authorization", clock.as_str())];
    raw(app, "POST", "/lf.a2a.v1.A2AService/GetTask", headers(&pairs), framed(&[])).await;
    assert_eq!(codes(&world.server), ["BTN-1011"], "gRPC");
    // The HTTP reply is a success; the denial is in the tool result.
    let arguments = json!({"agentId": "weather", "message": "Hello"});
    let params = json!({"name": "call_agent", "arguments": arguments});
    mcp_endpoints::call_mcp(app, "/mcp", &[("authorization", &read)], "tools/call", params).await;
    assert_eq!(codes(&world.server), ["BTN-1011"], "an agent over MCP");
    let mut twice = HeaderMap::new();
    for _ in 0..2 {
        twice.append("authorization", read.parse().unwrap());
    }
    assert_eq!(raw(app, "GET", "/api/v1/tasks/x", twice, "").await.status(), 400);
    assert_eq!(codes(&world.server), ["BTN-1013"], "a header twice");
}

#[tokio::test(start_paused = true)]
async fn rate_limited_requests_are_audited() {
    let few = TestServer::with_access(|access| access.rate = Some(RateLimit { per_second: 1, burst: 1 }));
    let known = bearer(&token("acme", "ann", "call"));
    for (expect, status) in [(&[][..], 404), (&["BTN-1012"], 429)] {
        let response = raw(&few.app, "GET", "/api/v1/tasks/x", headers(&[("authorization", &known)]), "").await;
        wait_until_idle().await;
        assert_eq!((codes(&few).as_slice(), response.status().as_u16()), (expect, status));
    }
}

#[tokio::test(start_paused = true)]
async fn admin_changes_are_audited() {
    let ports = PeerPorts { registry: std::sync::Arc::new(EmptyPeerRegistry), peers: std::sync::Arc::new(NoPeers) };
    let server = TestServer::with_options(|_| {}, |options| options.api.peers = Some(ports));
    let admin = bearer(&token("acme", "root", "admin"));
    let given = || headers(&[("authorization", &admin), ("content-type", "application/json")]);
    let wanted = json!({"name": "ci", "subject": "bob", "scopes": ["read", "telemetry:read"]}).to_string();
    for (method, path, body) in [
        ("POST", "/api/v1/tokens", wanted.as_str()),
        ("GET", "/api/v1/tokens", ""),
        ("DELETE", "/api/v1/tokens/t1", ""),
        ("DELETE", "/api/v1/tokens/t9", ""),
        ("POST", "/api/v1/tokens", r#"{"name": ""}"#),
        ("DELETE", "/api/v1/agents/ghost", ""),
    ] {
        raw(&server.app, method, path, given(), body.to_owned()).await;
    }
    let changes: Vec<String> = server.audit.take_changes().iter().map(line).collect();
    assert_eq!(
        changes,
        [
            "POST /api/v1/tokens acme/root: created token t1 'ci' of local/bob with read telemetry:read",
            "DELETE /api/v1/tokens/t1 acme/root: revoked token t1 'ci' of local/bob with read telemetry:read",
        ]
    );
}

fn line(change: &baton_ports::AdminChange) -> String {
    let baton_ports::AdminChange { method, path, principal, change, .. } = change;
    format!("{method} {path} {}/{}: {change}", principal.tenant, principal.subject)
}
