//! Lines that are no messages.

use super::talk::{Talk, agent, call, meta, text};
use crate::binary::Home;
use serde_json::json;

#[test]
fn each_is_answered_and_hurts_nothing() {
    let home = Home::new();
    agent(&home);
    let mut talk = Talk::start(&home, &["--agent", "crier"]);
    for (line, id, code) in [
        ("hello?", json!(null), -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,", json!(null), -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", json!(null), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":7}", json!(7), -32600),
        ("42", json!(null), -32700),
    ] {
        talk.line(line);
        let heard = talk.hears();
        assert_eq!((&heard["id"], &heard["error"]["code"]), (&id, &code.into()), "{line}: {heard}");
    }
    talk.line("");
    talk.line(&"x".repeat(17 * 1024 * 1024));
    assert_eq!(talk.hears()["error"]["message"], "the line is longer than 16 MiB");
    // A request of a session that nobody opened is answered too.
    assert!(talk.asks(json!({"id": 8, "method": "tools/list"})).get("error").is_some());
    // Neither an answer to a question that nobody asked nor an unknown notification is answered.
    talk.says(json!({"id": 99, "result": {}}));
    talk.says(json!({"method": "notifications/whatever", "params": {"_meta": meta()}}));
    assert_eq!(text(&talk.asks(call(9, "shout", &json!({"words": "still here"})))), "still here!");
    let (status, said) = talk.end();
    assert_eq!(status.code(), Some(0));
    assert!(said.contains("a line was rejected: the line is longer than 16 MiB"), "{said}");
}

#[test]
fn ids_are_used_once_at_a_time_and_requests_have_a_bound() {
    let home = Home::new();
    agent(&home);
    let mut talk = Talk::start(&home, &["--agent", "crier"]);
    let alive = super::talk::Alive::watch(home.path("alive"));
    talk.says(call(1, "wait", &json!({})));
    alive.begins();
    let twice = talk.asks(call(1, "shout", &json!({"words": "twice"})));
    assert_eq!(twice["error"]["message"], "a request with this id is already in flight", "{twice}");
    for id in 2..258 {
        talk.says(json!({"id": id, "method": "subscriptions/listen", "params": {
            "notifications": {"toolsListChanged": true}, "_meta": meta(),
        }}));
    }
    // Subscriptions stay in flight, so one of these is one too many.
    let refused = loop {
        let heard = talk.hears();
        if heard.get("error").is_some() {
            break heard;
        }
    };
    assert_eq!(refused["id"], 257, "{refused}");
    assert!(refused["error"]["message"].as_str().expect("words").contains("too many requests"), "{refused}");
    talk.end();
}
