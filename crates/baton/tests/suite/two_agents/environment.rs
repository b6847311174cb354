//! An agent's Environment, called as an MCP client of 2026-07-28 with the given capabilities.

use super::team::parts_of;
use crate::binary::request;
use serde_json::{Value, json};

/// Sends a request to the Environment of the agent at `url`; returns its result.
pub(super) fn call_method(url: &str, capabilities: &Value, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let (server, path) = parts_of(url);
    let path = format!("{}/mcp", path.trim_end_matches('/'));
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    if !name.is_empty() {
        headers.push(("Mcp-Name", &name));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let reply = request(server, "POST", &path, &headers, &body.to_string());
    let answer = parse_response(&reply.body).unwrap_or_else(|| panic!("no reply to {method}: {reply:?}"));
    assert!(answer["error"].is_null(), "{answer:#}");
    answer["result"].clone()
}

/// The response in a body: plain JSON, or the last event of a stream, with or without chunk markers.
fn parse_response(body: &str) -> Option<Value> {
    let lines = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let mut values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.rfind(|value| value["id"] == 1)
}

/// Calls the tool `handoff`.
pub(super) fn call_handoff(url: &str, capabilities: &Value, agent_uri: &str, message: &str) -> Value {
    let arguments = json!({"agent_uri": agent_uri, "message": message});
    call_method(url, capabilities, "tools/call", json!({"name": "handoff", "arguments": arguments}))
}

/// Tools of the Environment.
pub(super) fn tools_of(url: &str) -> Vec<Value> {
    call_method(url, &json!({}), "tools/list", json!({}))["tools"].as_array().expect("tools").clone()
}
