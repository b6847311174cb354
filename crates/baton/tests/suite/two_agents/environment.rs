//! An agent's Environment, asked as an MCP client of 2026-07-28 that can do as much as a test says.

use super::team::parts_of;
use crate::binary::request;
use serde_json::{Value, json};

/// A request to the Environment of the agent at `url`; gives its result.
pub(super) fn asks(url: &str, capabilities: &Value, method: &str, mut params: Value) -> Value {
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
    let answer = replied(&reply.body).unwrap_or_else(|| panic!("no reply to {method}: {reply:?}"));
    assert!(answer["error"].is_null(), "{answer:#}");
    answer["result"].clone()
}

/// The reply among what came: alone, or at the end of an event stream whose chunks may be marked.
fn replied(body: &str) -> Option<Value> {
    let lines = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let mut values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.rfind(|value| value["id"] == 1)
}

/// Calls `handoff` there.
pub(super) fn hands_over(url: &str, capabilities: &Value, agent_uri: &str, message: &str) -> Value {
    let arguments = json!({"agent_uri": agent_uri, "message": message});
    asks(url, capabilities, "tools/call", json!({"name": "handoff", "arguments": arguments}))
}

/// The tools that it offers.
pub(super) fn tools_of(url: &str) -> Vec<Value> {
    asks(url, &json!({}), "tools/list", json!({}))["tools"].as_array().expect("tools").clone()
}
