//! Tests of the fixture as a process, on its standard streams.

#![cfg(test)]

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

/// Writes these messages to the fixture and closes its input; returns the responses with numeric ids.
#[expect(clippy::disallowed_methods, reason = "the program under test is a process of its own")]
fn exchange(requests: &[Value]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_baton-fixture-mcp"));
    let mut fixture = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = fixture.stdin.take().expect("piped");
    let output = BufReader::new(fixture.stdout.take().expect("piped"));
    for line in requests {
        writeln!(input, "{line}").expect("it reads");
    }
    let wanted = requests.iter().filter(|line| line["id"].is_number()).count();
    let lines = output.lines().map(|line| serde_json::from_str(&line.expect("UTF-8")).expect("JSON"));
    let answers: Vec<Value> = lines.filter(|line: &Value| line["id"].is_number()).take(wanted).collect();
    drop(input);
    assert!(fixture.wait().expect("it ends").success(), "the fixture fails when its input closes");
    answers
}

#[test]
fn initialize_selects_the_newest_version_with_a_handshake() {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let [opened, text] = &exchange(&[
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "test_simple_text" } }),
    ])[..] else {
        panic!("two answers")
    };
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(text["result"]["content"][0]["text"], "This is a simple text response for testing.");
}

#[test]
fn modern_client_is_asked_by_an_input_required_result() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let params = json!({ "name": "test_input_required_result_elicitation", "_meta": meta });
    let [asked] = &exchange(&[json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })])[..]
    else {
        panic!("one answer")
    };
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["user_name"]["method"], "elicitation/create");
}

#[test]
fn fixture_exits_with_an_open_subscription() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let listen = json!({ "_meta": meta, "notifications": { "toolsListChanged": true } });
    let begun = std::time::Instant::now();
    let [listed] = &exchange(&[
        json!({ "jsonrpc": "2.0", "id": "listen", "method": "subscriptions/listen", "params": listen }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }),
    ])[..] else {
        panic!("one answer")
    };
    assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 25), "{listed}");
    // The library waits up to five seconds for open requests.
    assert!(begun.elapsed() < std::time::Duration::from_secs(4), "the fixture did not exit at once");
}
