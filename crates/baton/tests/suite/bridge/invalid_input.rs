//! Lines that are not valid messages.

use super::client::{BridgeClient, agent, call, meta, text};
use crate::binary::Home;
use serde_json::json;

#[test]
fn invalid_lines_get_errors_and_later_requests_work() {
    let home = Home::new();
    agent(&home);
    let mut client = BridgeClient::start(&home, &["--agent", "crier"]);
    for (line, id, code) in [
        ("hello?", json!(null), -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,", json!(null), -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", json!(null), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":7}", json!(7), -32600),
        ("42", json!(null), -32700),
    ] {
        client.send_line(line);
        let heard = client.receive();
        assert_eq!((&heard["id"], &heard["error"]["code"]), (&id, &code.into()), "{line}: {heard}");
    }
    client.send_line("");
    client.send_line(&"x".repeat(17 * 1024 * 1024));
    assert_eq!(client.receive()["error"]["message"], "the line is longer than 16 MiB");
    // A request without an open session gets an error.
    assert!(client.request(json!({"id": 8, "method": "tools/list"})).get("error").is_some());
    // Unexpected responses and unknown notifications get no response.
    client.send(json!({"id": 99, "result": {}}));
    client.send(json!({"method": "notifications/whatever", "params": {"_meta": meta()}}));
    assert_eq!(text(&client.request(call(9, "shout", &json!({"words": "still here"})))), "still here!");
    let (status, said) = client.end();
    assert_eq!(status.code(), Some(0));
    assert!(said.contains("a line was rejected: the line is longer than 16 MiB"), "{said}");
}

#[test]
fn duplicate_ids_and_excess_requests_are_rejected() {
    let home = Home::new();
    agent(&home);
    let mut client = BridgeClient::start(&home, &["--agent", "crier"]);
    let alive = super::client::ProcessProbe::watch(home.path("alive"));
    client.send(call(1, "wait", &json!({})));
    alive.wait_for_start();
    let twice = client.request(call(1, "shout", &json!({"words": "twice"})));
    assert_eq!(twice["error"]["message"], "a request with this id is already in flight", "{twice}");
    for id in 2..258 {
        client.send(json!({"id": id, "method": "subscriptions/listen", "params": {
            "notifications": {"toolsListChanged": true}, "_meta": meta(),
        }}));
    }
    // Subscriptions stay in flight, so the last one exceeds the limit.
    let refused = loop {
        let heard = client.receive();
        if heard.get("error").is_some() {
            break heard;
        }
    };
    assert_eq!(refused["id"], 257, "{refused}");
    assert!(refused["error"]["message"].as_str().expect("a message").contains("too many requests"), "{refused}");
    client.end();
}
