//! Spans of MCP requests are named by method and tool, with and without sessions.

use super::{PARENT, SpanCollector, collector::shown};
use crate::{
    bindings::{headers, raw},
    mcp_endpoints::ports,
    world::configured,
    world::{
        DiscardingWebhooks, ScriptedModel, SequentialIds, StaticAgents, TickingClock, WeatherTools, agent, options,
    },
};
use axum::Router;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http_api::ToolPorts;
use baton_journal::MemoryJournal;
use baton_ports::AgentSource;
use baton_server::app;
use baton_types::{Permission, Span, ToolSpec, TraceContext};
use http::Response;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{fmt::Write as _, sync::Arc};

/// An app with all MCP endpoints; the agent `weather` has a tool that requires approval.
pub(super) fn served(spans: &Arc<SpanCollector>) -> Router {
    let mut weather = agent("weather");
    let tool = weather.tools[0].clone();
    weather.tools.push(ToolSpec { name: "careful".to_owned(), permission: Permission::Ask, ..tool });
    let agents: Arc<dyn AgentSource> = Arc::new(StaticAgents(vec![Arc::new(weather), Arc::new(agent("clock"))]));
    let engine = Engine::new(
        EngineOptions::default(),
        Ports {
            journal: Arc::new(MemoryJournal::default()),
            models: Arc::new(ScriptedModel),
            tools: Arc::new(WeatherTools),
            agents: Arc::clone(&agents),
            peers: Arc::new(baton_engine::NoPeers),
            webhooks: Arc::new(DiscardingWebhooks),
            watch: None,
            clock: Arc::new(TickingClock::default()),
            ids: Arc::new(SequentialIds::default()),
        },
    );
    let mcp = Some(ports(&agents, Arc::new(engine.clone())));
    let tools = Some(ToolPorts { host: Arc::new(WeatherTools) });
    app(
        engine,
        configured(options(), |options| {
            options.mcp = mcp;
            options.api.tools = tools;
            options.http.tracer = spans.tracer();
        }),
    )
}

async fn post_rpc(app: &Router, path: &str, given: &[(&str, &str)], method: &str, params: &Value) -> Response<Value> {
    let body = json!({"jsonrpc": "2.0", "id": "r-1", "method": method, "params": params});
    let mut all = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    all.extend(given);
    let (parts, body) = raw(app, "POST", path, headers(&all), body.to_string()).await.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Response::from_parts(parts, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

/// Sends a request of the latest protocol version with the parent span in its message.
async fn modern(app: &Router, path: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
        "traceparent": PARENT,
    });
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let mut given = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    if !name.is_empty() {
        given.push(("mcp-name", &name));
    }
    post_rpc(app, path, &given, method, &params).await.into_body()
}

fn check_parent(span: &Span) {
    let parent = TraceContext::parse(PARENT).unwrap();
    assert_eq!((span.trace, span.parent), (parent.trace, Some(parent.span)), "{}", span.name);
}

#[tokio::test]
async fn requests_of_the_newest_protocol() {
    let spans = Arc::new(SpanCollector::default());
    let app = served(&spans);
    let mut seen = String::new();
    for (path, method, params) in [
        ("/agents/weather/mcp", "server/discover", json!({})),
        ("/agents/weather/mcp", "tools/list", json!({})),
        ("/agents/weather/mcp", "tools/call", json!({"name": "get_weather", "arguments": {}})),
        ("/agents/weather/mcp", "tools/call", json!({"name": "careful", "arguments": {}})),
        ("/agents/weather/mcp", "tools/call", json!({"name": "unknown"})),
        ("/agents/weather/mcp", "prompts/get", json!({"name": "system_prompt"})),
        ("/agents/weather/mcp", "prompts/get", json!({"name": "unknown"})),
        ("/agents/weather/mcp", "resources/read", json!({"uri": "file:///nowhere"})),
        ("/agents/weather/mcp", "made/up", json!({})),
        ("/mcp", "tools/call", json!({"name": "call_agent", "arguments": {"agentId": "clock", "message": "Hello"}})),
        ("/mcp", "tools/call", json!({"name": "call_agent", "arguments": {"agentId": "nobody", "message": "Hello"}})),
    ] {
        modern(&app, path, method, params).await;
        let span = spans.one();
        if method != "made/up" {
            check_parent(&span);
        }
        let _ = writeln!(seen, "{}", shown(&span));
    }
    insta::with_settings!({filters => vec![(r"=id-\d+", "=[id]")]}, { insta::assert_snapshot!(seen) });
}

#[tokio::test]
async fn requests_of_a_session() {
    let spans = Arc::new(SpanCollector::default());
    let app = served(&spans);
    let path = "/agents/weather/mcp";
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let opened = post_rpc(&app, path, &[("traceparent", PARENT)], "initialize", &hello).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let given = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let mut all = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    all.extend(given);
    drop(raw(&app, "POST", path, headers(&all), initialized).await);
    let meta = json!({"traceparent": PARENT});
    let called = json!({"name": "get_weather", "arguments": {}, "_meta": meta});
    post_rpc(&app, path, &given, "tools/call", &called).await;
    let denied = json!({"name": "careful", "arguments": {}, "_meta": meta});
    post_rpc(&app, path, &given, "tools/call", &denied).await;
    drop(raw(&app, "DELETE", path, headers(&all), "").await);
    let spans = spans.take();
    for index in [0, 2, 3] {
        check_parent(&spans[index]);
    }
    let seen: String = spans.iter().map(|span| shown(span) + "\n").collect();
    insta::assert_snapshot!(seen.replace(&session, "[session]"));
}
