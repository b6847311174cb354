//! Cancelled requests end the processes of their calls.

use super::client::{BridgeClient, ProcessProbe, agent, call, session_call, text};
use crate::binary::Home;
use serde_json::json;

#[test]
fn cancellation_in_the_latest_protocol_ends_the_call() {
    let home = Home::new();
    agent(&home);
    let (_server, _) = home.up(&["--port", "0"]);
    for args in [&["--agent", "crier"][..], &["--agent", "crier", "--data", "own", "."]] {
        let mut client = BridgeClient::start(&home, args);
        let waiting = ProcessProbe::watch(home.path("alive"));
        client.send(call(1, "wait", &json!({})));
        waiting.wait_for_start();
        client.send(json!({"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}}));
        waiting.wait_for_end();
        // The id is free again, and the cancelled request got no response.
        client.send(call(1, "shout", &json!({"words": "next"})));
        assert_eq!(text(&client.receive()), "next!");
        client.end();
    }
}

#[test]
fn cancellation_in_a_session_ends_the_call() {
    let home = Home::new();
    agent(&home);
    let mut client = BridgeClient::legacy(&home, &["--agent", "crier"]);
    let waiting = ProcessProbe::watch(home.path("alive"));
    client.send(session_call(1, "wait", &json!({})));
    waiting.wait_for_start();
    client.send(json!({"method": "notifications/cancelled", "params": {"requestId": 1}}));
    waiting.wait_for_end();
    let next = client.request(session_call(2, "shout", &json!({"words": "next"})));
    assert_eq!(text(&next), "next!");
    client.end();
}

#[test]
fn end_of_input_cancels_running_calls() {
    let home = Home::new();
    agent(&home);
    let (_server, _) = home.up(&["--port", "0"]);
    for legacy in [false, true] {
        let waiting = ProcessProbe::watch(home.path("alive"));
        let client = match legacy {
            true => {
                let mut client = BridgeClient::legacy(&home, &["--agent", "crier"]);
                client.send(session_call(1, "wait", &json!({})));
                client
            }
            false => {
                let mut client = BridgeClient::start(&home, &["--agent", "crier"]);
                client.send(call(1, "wait", &json!({})));
                client
            }
        };
        waiting.wait_for_start();
        assert_eq!(client.end().0.code(), Some(0));
        waiting.wait_for_end();
    }
}

#[test]
fn killed_bridge_cancels_its_calls() {
    let home = Home::new();
    agent(&home);
    let (_server, url) = home.up(&["--port", "0"]);
    let waiting = ProcessProbe::watch(home.path("alive"));
    let mut client = BridgeClient::start(&home, &["--agent", "crier", "--server", &url]);
    client.send(call(1, "wait", &json!({})));
    waiting.wait_for_start();
    client.kill();
    waiting.wait_for_end();
}
