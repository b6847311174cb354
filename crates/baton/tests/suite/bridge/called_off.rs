//! Requests that are called off, and what they leave behind.

use super::talk::{Alive, Talk, agent, call, session_call, text};
use crate::binary::Home;
use serde_json::json;

#[test]
fn in_the_newest_protocol() {
    let home = Home::new();
    agent(&home);
    let (_server, _) = home.up(&["--port", "0"]);
    for args in [&["--agent", "crier"][..], &["--agent", "crier", "--data", "own", "."]] {
        let mut talk = Talk::start(&home, args);
        let waiting = Alive::watch(home.path("alive"));
        talk.says(call(1, "wait", &json!({})));
        waiting.begins();
        talk.says(json!({"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}}));
        waiting.ends();
        // It is over: the id is free again, and nothing was said about the request.
        talk.says(call(1, "shout", &json!({"words": "next"})));
        assert_eq!(text(&talk.hears()), "next!");
        talk.end();
    }
}

#[test]
fn in_a_session() {
    let home = Home::new();
    agent(&home);
    let mut talk = Talk::legacy(&home, &["--agent", "crier"]);
    let waiting = Alive::watch(home.path("alive"));
    talk.says(session_call(1, "wait", &json!({})));
    waiting.begins();
    talk.says(json!({"method": "notifications/cancelled", "params": {"requestId": 1}}));
    waiting.ends();
    let next = talk.asks(session_call(2, "shout", &json!({"words": "next"})));
    assert_eq!(text(&next), "next!");
    talk.end();
}

#[test]
fn by_the_end_of_the_lines() {
    let home = Home::new();
    agent(&home);
    let (_server, _) = home.up(&["--port", "0"]);
    for legacy in [false, true] {
        let waiting = Alive::watch(home.path("alive"));
        let talk = match legacy {
            true => {
                let mut talk = Talk::legacy(&home, &["--agent", "crier"]);
                talk.says(session_call(1, "wait", &json!({})));
                talk
            }
            false => {
                let mut talk = Talk::start(&home, &["--agent", "crier"]);
                talk.says(call(1, "wait", &json!({})));
                talk
            }
        };
        waiting.begins();
        assert_eq!(talk.end().0.code(), Some(0));
        waiting.ends();
    }
}

#[test]
fn by_the_death_of_the_bridge() {
    let home = Home::new();
    agent(&home);
    let (_server, url) = home.up(&["--port", "0"]);
    let waiting = Alive::watch(home.path("alive"));
    let mut talk = Talk::start(&home, &["--agent", "crier", "--server", &url]);
    talk.says(call(1, "wait", &json!({})));
    waiting.begins();
    talk.kill();
    waiting.ends();
}
