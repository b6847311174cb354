//! Spans of other requests, of failures, and requests without a span.

use super::{PARENT, SpanCollector, collector::shown, traced};
use crate::{
    bindings::{headers, raw},
    world::configured,
    world::{WeatherTools, engine, engine_on, options},
};
use baton_engine::EngineOptions;
use baton_http_api::ToolPorts;
use baton_journal::{
    MemoryJournal,
    fault::{Fault, FaultyJournal},
};
use baton_server::app;
use baton_types::{SpanStatus, TraceContext};
use serde_json::json;
use std::{fmt::Write as _, sync::Arc};

#[tokio::test]
async fn non_protocol_spans_are_named_by_their_route() {
    let (app, spans) = traced();
    let mut seen = String::new();
    for (method, path) in [
        ("GET", "/agents"),
        ("GET", "/agents/weather/.well-known/agent-card.json"),
        ("GET", "/api/v1/tasks/nobody"),
        ("DELETE", "/api/v1/tokens/t"),
        ("GET", "/api/v1/approvals?state=all"),
        ("GET", "/nowhere/at/all"),
        ("BREW", "/agents"),
    ] {
        drop(raw(&app, method, path, headers(&[]), "").await);
        let _ = writeln!(seen, "{}", shown(&spans.one()));
    }
    // A foreign host is rejected before routing.
    drop(raw(&app, "GET", "/agents", headers(&[("host", "evil.example")]), "").await);
    let _ = writeln!(seen, "{}", shown(&spans.one()));
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn quiet_routes_leave_no_span() {
    let (app, spans) = traced();
    for path in
        ["/healthz", "/health", "/readyz", "/v1/traces", "/otlp/v1/traces", "/tempo/api/echo", "/api/v1/spans/stats"]
    {
        for method in ["GET", "POST"] {
            drop(raw(&app, method, path, headers(&[("traceparent", PARENT)]), "").await);
        }
    }
    assert!(spans.take().is_empty());
}

#[tokio::test]
async fn server_faults_are_error_spans() {
    let spans = Arc::new(SpanCollector::default());
    let journal = FaultyJournal::new(Arc::new(MemoryJournal::default()), |_| Fault::Fail);
    let engine = engine_on(Arc::new(journal), EngineOptions::default(), &["weather"]);
    let app = app(
        engine,
        configured(options(), |options| {
            options.http.tracer = spans.tracer();
        }),
    );
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]});
    let rpc = json!({"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": {"message": message}});
    let rest = json!({"message": message});
    for (path, body) in [("/agents/weather", rpc), ("/agents/weather/message:send", rest)] {
        let response =
            raw(&app, "POST", path, headers(&[("content-type", "application/json")]), body.to_string()).await;
        assert_eq!(response.status(), 503);
        let span = spans.one();
        assert_eq!(span.status, SpanStatus::Error);
        assert_eq!(span.attribute("error.type").unwrap().as_text(), Some("BTN-4002"), "{span:?}");
    }
}

/// A tool call over the API has a child span of the request.
#[tokio::test]
async fn a_called_tool_has_a_span_of_its_own() {
    let spans = Arc::new(SpanCollector::default());
    let tools = Some(ToolPorts { host: Arc::new(WeatherTools) });
    let app = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.http.tracer = spans.tracer();
            options.api.tools = tools;
        }),
    );
    let given = headers(&[("content-type", "application/json"), ("traceparent", PARENT)]);
    drop(raw(&app, "POST", "/api/v1/agents/weather/tools/get_weather", given, "{}").await);
    let [tool, request] = spans.take().try_into().unwrap();
    let parent = TraceContext::parse(PARENT).unwrap();
    assert_eq!((request.parent, tool.parent), (Some(parent.span), Some(request.id)));
    assert_eq!((request.trace, tool.trace), (parent.trace, parent.trace));
    insta::assert_snapshot!(format!("{}\n{}", shown(&request), shown(&tool)));
}
