//! An ordinary conversation, in both eras, with a server and without one.

use super::talk::{Talk, agent, call, meta, session_call, text};
use crate::binary::Home;
use serde_json::{Value, json};

fn names(list: &Value) -> Vec<&str> {
    list["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

fn of_2026(home: &Home, args: &[&str]) {
    let mut talk = Talk::start(home, args);
    let known = talk.asks(json!({"id": "d", "method": "server/discover", "params": {"_meta": meta()}}));
    let versions = known["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&"2026-07-28".into()), "{known}");
    let list = talk.asks(json!({"id": 1, "method": "tools/list", "params": {"_meta": meta()}}));
    assert_eq!(names(&list), ["handoff", "shout", "wait"], "{list}");
    let answer = talk.asks(call(2, "shout", &json!({"words": "hør"})));
    assert_eq!(text(&answer), "hør!", "{answer}");
    let unknown = talk.asks(call(3, "nothing", &json!({})));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let method = talk.asks(json!({"id": 4, "method": "no/such", "params": {"_meta": meta()}}));
    assert_eq!(method["error"]["code"], -32601, "{method}");
    let (status, said) = talk.end();
    assert_eq!(status.code(), Some(0), "{said}");
}

fn of_2025(home: &Home, args: &[&str]) {
    let mut talk = Talk::legacy(home, args);
    let list = talk.asks(json!({"id": 1, "method": "tools/list"}));
    assert_eq!(names(&list), ["handoff", "shout", "wait"], "{list}");
    // Several at once, each answered under its own id, whatever the order.
    for id in 10..20 {
        talk.says(session_call(id, "shout", &json!({"words": format!("n{id}")})));
    }
    let mut heard: Vec<(u64, String)> = (10..20)
        .map(|_| talk.hears())
        .map(|answer| (answer["id"].as_u64().expect("an id"), text(&answer).to_owned()))
        .collect();
    heard.sort();
    assert_eq!(heard, (10..20).map(|id| (id, format!("n{id}!"))).collect::<Vec<_>>());
    assert_eq!(talk.asks(json!({"id": 30, "method": "ping"}))["result"], json!({}));
    let (status, said) = talk.end();
    assert_eq!(status.code(), Some(0), "{said}");
}

#[test]
fn with_a_running_server() {
    let home = Home::new();
    agent(&home);
    let (server, url) = home.up(&["--port", "0"]);
    of_2026(&home, &["--agent", "crier"]);
    of_2025(&home, &["--agent", "crier"]);
    of_2026(&home, &["--agent", "crier", "--server", &url]);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn in_this_process_without_leaving_anything() {
    let home = Home::new();
    agent(&home);
    of_2026(&home, &["--agent", "crier"]);
    of_2025(&home, &["--agent", "crier"]);
    assert!(!home.path(".baton").exists(), "nothing is kept");
    of_2025(&home, &["--agent", "crier", "--data", "kept"]);
    assert!(home.path("kept").exists());
}

#[test]
fn the_end_of_the_lines_is_no_reason_to_lose_an_answer() {
    let home = Home::new();
    agent(&home);
    let mut talk = Talk::start(&home, &["--agent", "crier"]);
    talk.says(call(1, "shout", &json!({"words": "last"})));
    talk.closes();
    assert_eq!(text(&talk.answer(&1.into())), "last!");
    assert_eq!(talk.end().0.code(), Some(0));
}

#[test]
fn the_way_to_all_agents() {
    let home = Home::new();
    agent(&home);
    let mut talk = Talk::legacy(&home, &[]);
    let listed = talk.asks(session_call(1, "list_agents", &json!({})));
    assert!(text(&listed).contains("crier"), "{listed}");
    let called = talk.asks(session_call(2, "call_agent", &json!({"agentId": "crier", "message": "hello"})));
    assert_eq!(called["result"]["structuredContent"]["response"], "Hear, hear.", "{called}");
    let alone = talk.asks(session_call(3, "call_agent", &json!({"agentId": "nobody", "message": "hello"})));
    assert_eq!(alone["result"]["isError"], true, "{alone}");
    talk.end();
}
