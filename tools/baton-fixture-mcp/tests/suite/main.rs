//! The fixture as a program of its own, on its standard streams.

#![cfg(test)]

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

/// Says these lines to the fixture and hangs up; gives what it answered, by id.
#[expect(clippy::disallowed_methods, reason = "the program under test is a process of its own")]
fn answers(said: &[Value]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_baton-fixture-mcp"));
    let mut fixture = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = fixture.stdin.take().expect("piped");
    let output = BufReader::new(fixture.stdout.take().expect("piped"));
    for line in said {
        writeln!(input, "{line}").expect("it reads");
    }
    let wanted = said.iter().filter(|line| line["id"].is_number()).count();
    let lines = output.lines().map(|line| serde_json::from_str(&line.expect("UTF-8")).expect("JSON"));
    let answers: Vec<Value> = lines.filter(|line: &Value| line["id"].is_number()).take(wanted).collect();
    drop(input);
    assert!(fixture.wait().expect("it ends").success(), "it ends when its client hangs up");
    answers
}

#[test]
fn clients_that_shake_hands_get_the_newest_version_that_does() {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let [opened, text] = &answers(&[
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
fn clients_that_do_not_are_asked_by_results() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let params = json!({ "name": "test_input_required_result_elicitation", "_meta": meta });
    let [asked] = &answers(&[json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })])[..]
    else {
        panic!("one answer")
    };
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["user_name"]["method"], "elicitation/create");
}

#[test]
fn clients_that_listen_can_hang_up() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let listen = json!({ "_meta": meta, "notifications": { "toolsListChanged": true } });
    let begun = std::time::Instant::now();
    let [listed] = &answers(&[
        json!({ "jsonrpc": "2.0", "id": "listen", "method": "subscriptions/listen", "params": listen }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }),
    ])[..] else {
        panic!("one answer")
    };
    assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 25), "{listed}");
    // Five seconds is how long the library waits for what is still at work.
    assert!(begun.elapsed() < std::time::Duration::from_secs(4), "it ends at once");
}
