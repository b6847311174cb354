//! A complete conversation in both protocol generations, with and without a server.

use super::client::{BridgeClient, agent, call, meta, session_call, text};
use crate::binary::Home;
use serde_json::{Value, json};

fn names(list: &Value) -> Vec<&str> {
    list["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

fn check_stateless(home: &Home, args: &[&str]) {
    let mut client = BridgeClient::start(home, args);
    let known = client.request(json!({"id": "d", "method": "server/discover", "params": {"_meta": meta()}}));
    let versions = known["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&"2026-07-28".into()), "{known}");
    let list = client.request(json!({"id": 1, "method": "tools/list", "params": {"_meta": meta()}}));
    assert_eq!(names(&list), ["handoff", "shout", "wait"], "{list}");
    let answer = client.request(call(2, "shout", &json!({"words": "hør"})));
    assert_eq!(text(&answer), "hør!", "{answer}");
    let unknown = client.request(call(3, "nothing", &json!({})));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let method = client.request(json!({"id": 4, "method": "no/such", "params": {"_meta": meta()}}));
    assert_eq!(method["error"]["code"], -32601, "{method}");
    let (status, said) = client.end();
    assert_eq!(status.code(), Some(0), "{said}");
}

fn check_session(home: &Home, args: &[&str]) {
    let mut client = BridgeClient::legacy(home, args);
    let list = client.request(json!({"id": 1, "method": "tools/list"}));
    assert_eq!(names(&list), ["handoff", "shout", "wait"], "{list}");
    // Concurrent requests are answered by id, in any order.
    for id in 10..20 {
        client.send(session_call(id, "shout", &json!({"words": format!("n{id}")})));
    }
    let mut heard: Vec<(u64, String)> = (10..20)
        .map(|_| client.receive())
        .map(|answer| (answer["id"].as_u64().expect("an id"), text(&answer).to_owned()))
        .collect();
    heard.sort();
    assert_eq!(heard, (10..20).map(|id| (id, format!("n{id}!"))).collect::<Vec<_>>());
    assert_eq!(client.request(json!({"id": 30, "method": "ping"}))["result"], json!({}));
    let (status, said) = client.end();
    assert_eq!(status.code(), Some(0), "{said}");
}

#[test]
fn both_protocols_work_with_a_running_server() {
    let home = Home::new();
    agent(&home);
    let (server, url) = home.up(&["--port", "0"]);
    check_stateless(&home, &["--agent", "crier"]);
    check_session(&home, &["--agent", "crier"]);
    check_stateless(&home, &["--agent", "crier", "--server", &url]);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn both_protocols_work_in_process_without_data_files() {
    let home = Home::new();
    agent(&home);
    check_stateless(&home, &["--agent", "crier"]);
    check_session(&home, &["--agent", "crier"]);
    assert!(!home.path(".baton").exists(), "no data directory is created");
    check_session(&home, &["--agent", "crier", "--data", "kept"]);
    assert!(home.path("kept").exists());
}

#[test]
fn end_of_input_does_not_lose_an_answer() {
    let home = Home::new();
    agent(&home);
    let mut client = BridgeClient::start(&home, &["--agent", "crier"]);
    client.send(call(1, "shout", &json!({"words": "last"})));
    client.close();
    assert_eq!(text(&client.answer(&1.into())), "last!");
    assert_eq!(client.end().0.code(), Some(0));
}

#[test]
fn agents_are_listed_and_called_by_id() {
    let home = Home::new();
    agent(&home);
    let mut client = BridgeClient::legacy(&home, &[]);
    let listed = client.request(session_call(1, "list_agents", &json!({})));
    assert!(text(&listed).contains("crier"), "{listed}");
    let called = client.request(session_call(2, "call_agent", &json!({"agentId": "crier", "message": "hello"})));
    assert_eq!(called["result"]["structuredContent"]["response"], "Hear, hear.", "{called}");
    let alone = client.request(session_call(3, "call_agent", &json!({"agentId": "nobody", "message": "hello"})));
    assert_eq!(alone["result"]["isError"], true, "{alone}");
    client.end();
}
