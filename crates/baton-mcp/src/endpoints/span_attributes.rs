//! Span attributes of MCP requests.

use baton_http::RequestSpan;
use baton_telemetry::{
    OpenSpan,
    names::{self, operation},
};
use baton_types::{AgentName, TraceContext};
use http::request::Parts;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Methods of both protocol generations. Unknown methods never become span names.
const KNOWN_METHODS: [&str; 23] = [
    "tools/call",
    "tools/list",
    "initialize",
    "server/discover",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
    "logging/setLevel",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tasks/cancel",
];

/// Maximum bytes of a name, id or URI from a client in a span.
const MAX_ATTRIBUTE_BYTES: usize = 128;

/// The parts of a message that its span records.
#[derive(Deserialize)]
struct McpSpanMessage<'a> {
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<McpSpanParams<'a>>,
}

#[derive(Deserialize)]
struct McpSpanParams<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "protocolVersion")]
    protocol_version: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<McpSpanMeta<'a>>,
}

#[derive(Deserialize)]
struct McpSpanMeta<'a> {
    #[serde(borrow, default)]
    traceparent: Option<Cow<'a, str>>,
}

/// Names the span after the method and applies the trace context of the message.
pub(super) fn record_request(span: &RequestSpan, parts: &Parts, agent: Option<&AgentName>, body: &[u8]) {
    if !span.is_on() {
        return;
    }
    let message = serde_json::from_slice::<McpSpanMessage<'_>>(body).ok();
    let method = message.as_ref().and_then(|message| message.method.as_deref());
    let method = method.and_then(|method| KNOWN_METHODS.into_iter().find(|known| *known == method));
    if let (Some(method), Some(message)) = (method, &message) {
        let traceparent = message.params.as_ref().and_then(|params| params.meta.as_ref()?.traceparent.as_deref());
        span.adopt_parent(traceparent.and_then(TraceContext::parse));
        span.record_route(&parts.extensions);
        span.edit(|span| record_method(span, method, message));
    } else {
        span.record_route_name(&parts.method, &parts.extensions);
    }
    span.edit(|span| {
        span.set_some(names::GEN_AI_AGENT_NAME, agent.map(|agent| agent.as_str().to_owned()));
        span.set_some(names::MCP_SESSION_ID, header(parts, "mcp-session-id"));
        span.set_some(names::MCP_PROTOCOL_VERSION, header(parts, "mcp-protocol-version"));
        span.set(names::NETWORK_TRANSPORT, "tcp");
    });
}

fn record_method(span: &mut OpenSpan, method: &'static str, message: &McpSpanMessage<'_>) {
    let params = message.params.as_ref();
    let name = params.and_then(|params| params.name.as_deref()).map(truncate);
    span.set(names::MCP_METHOD_NAME, method);
    span.set(names::RPC_SYSTEM, "jsonrpc");
    span.set_some(names::JSONRPC_REQUEST_ID, message.id.map(|id| truncate(id.get().trim_matches('"')).to_owned()));
    match (method, name) {
        ("tools/call", Some(tool)) => {
            span.rename(format!("{method} {tool}"));
            span.set(names::GEN_AI_OPERATION_NAME, operation::EXECUTE_TOOL);
            span.set(names::GEN_AI_TOOL_NAME, tool.to_owned());
        }
        ("prompts/get", Some(prompt)) => span.rename(format!("{method} {prompt}")),
        _ => span.rename(method),
    }
    if let Some(params) = params {
        // A query may contain secrets.
        let uri = params.uri.as_deref().filter(|_| method.starts_with("resources/"));
        let uri = uri.map(|uri| truncate(uri.split(['?', '#']).next().unwrap_or_default()).to_owned());
        span.set_some(names::MCP_RESOURCE_URI, uri);
        let version = params.protocol_version.as_deref().filter(|_| method == "initialize");
        span.set_some(names::MCP_PROTOCOL_VERSION, version.map(|version| truncate(version).to_owned()));
    }
}

fn header(parts: &Parts, name: &str) -> Option<String> {
    parts.headers.get(name)?.to_str().ok().map(|value| truncate(value).to_owned())
}

fn truncate(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_ATTRIBUTE_BYTES)]
}
