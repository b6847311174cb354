//! Raw replies to invalid requests.

use super::{
    raw::{RawRequest, Reply},
    world::{World, ann},
};
use http::Method;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn shown(name: &str, reply: &Reply) -> String {
    let mut shown = format!("{name}: {} {}\n", reply.status.as_u16(), reply.kind);
    for line in reply.text.lines().filter(|line| !line.is_empty()) {
        let _ = writeln!(shown, "    {line}");
    }
    shown
}

#[tokio::test]
async fn invalid_requests_get_specific_errors() {
    let world = World::new();
    let session = world.session(ann()).await;
    let list = || RawRequest::modern("tools/list", json!({}));
    let within = |method: &str, params: Value| RawRequest::legacy(&session, method, params);
    let call = |name: &str| RawRequest::modern("tools/call", json!({"name": name, "arguments": {}}));
    let no_meta = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    let huge = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "x": "y".repeat(9 << 20)}).to_string();
    let mut future = list();
    future.body = String::from_utf8(future.body).unwrap().replace("2026-07-28", "2031-01-01").into();
    let cases = [
        ("no host", list().without("host")),
        ("not JSON", RawRequest::new(Method::POST, "{")),
        ("a batch", RawRequest::new(Method::POST, "[]")),
        ("no content type", list().without("content-type")),
        ("no accept", list().without("accept")),
        ("body too large", RawRequest::new(Method::POST, huge)),
        ("method that MCP does not use", RawRequest::new(Method::PUT, "")),
        ("modern GET", RawRequest::new(Method::GET, "").with("mcp-protocol-version", "2026-07-28")),
        ("GET without a session", RawRequest::new(Method::GET, "")),
        ("request without a session", RawRequest::new(Method::POST, no_meta.clone())),
        ("unknown session", within("tools/list", json!({})).with("mcp-session-id", "unknown-session")),
        ("modern without metadata", RawRequest::new(Method::POST, no_meta).with("mcp-protocol-version", "2026-07-28")),
        ("header and body name different versions", list().with("mcp-protocol-version", "2031-01-01")),
        ("version that nobody knows", future.with("mcp-protocol-version", "2031-01-01")),
        ("header and body name different methods", list().with("mcp-method", "tools/call")),
        ("header and body name different tools", call("echo").with("mcp-name", "say")),
        ("no method header", list().without("mcp-method")),
        ("unknown method", RawRequest::modern("tools/fly", json!({}))),
        ("unknown method in a session", within("tools/fly", json!({}))),
        ("ping in the newest protocol", RawRequest::modern("ping", json!({}))),
        (
            "subscription to a resource in the newest protocol",
            RawRequest::modern("resources/subscribe", json!({"uri": "a:b"})),
        ),
        ("task", RawRequest::modern("tasks/get", json!({"taskId": "t"})).with("mcp-name", "t")),
        ("task in a session", within("tasks/get", json!({"taskId": "t"}))),
        ("listening in a session", within("subscriptions/listen", json!({"notifications": {}}))),
        (
            "known method with other params",
            RawRequest::modern("prompts/get", json!({"nom": "fly"})).with("mcp-name", "fly"),
        ),
        ("known method with other params in a session", within("tools/call", json!({"nom": "fly"}))),
        ("unknown tool", call("fly")),
        ("unknown tool in a session", within("tools/call", json!({"name": "fly"}))),
        ("unknown prompt", RawRequest::modern("prompts/get", json!({"name": "fly"}))),
        ("unknown resource", RawRequest::modern("resources/read", json!({"uri": "baton://nowhere"}))),
        ("unknown resource in a session", within("resources/read", json!({"uri": "baton://nowhere"}))),
        ("invalid cursor", RawRequest::modern("tools/list", json!({"cursor": "%%%"}))),
        ("cursor of something else", RawRequest::modern("prompts/list", json!({"cursor": "YWJj"}))),
        ("invalid cursor in a session", within("resources/list", json!({"cursor": "x"}))),
        (
            "state that was made up",
            RawRequest::modern("tools/call", json!({"name": "echo", "requestState": "rs2.a.b.c"})),
        ),
        (
            "arguments that do not fit",
            RawRequest::modern("tools/call", json!({"name": "say", "arguments": {"town": 1}})),
        ),
    ];
    let mut all = String::new();
    for (name, ask) in cases {
        all.push_str(&shown(name, &world.ask(ask).await));
    }
    insta::assert_snapshot!(all);
}
