//! The bridge reconnects after the server restarts.

use super::client::{BridgeClient, ProcessProbe, agent, call, session_call, text};
use crate::binary::Home;
use serde_json::json;
use std::fs;

#[test]
fn bridge_reconnects_and_reopens_its_session() {
    let home = Home::new();
    agent(&home);
    for auth in [&["--port", "0"][..], &["--port", "0", "--auth"]] {
        let (server, _) = home.up(auth);
        let mut session = BridgeClient::legacy(&home, &["--agent", "crier"]);
        let mut newest = BridgeClient::start(&home, &["--agent", "crier"]);
        assert_eq!(text(&session.request(session_call(1, "shout", &json!({"words": "before"})))), "before!");
        assert_eq!(text(&newest.request(call(1, "shout", &json!({"words": "before"})))), "before!");
        server.kill();
        // The new server has another port and another owner token.
        let (server, _) = home.up(auth);
        assert_eq!(text(&session.request(session_call(2, "shout", &json!({"words": "after"})))), "after!");
        assert_eq!(text(&newest.request(call(2, "shout", &json!({"words": "after"})))), "after!");
        // The session is unknown to the next server and has to be opened again.
        server.kill();
        fs::remove_dir_all(home.path(".baton/mcp-sessions")).expect("sessions were kept");
        let (server, _) = home.up(auth);
        assert_eq!(text(&session.request(session_call(3, "shout", &json!({"words": "again"})))), "again!");
        let (_, said) = session.end();
        assert!(said.contains("reconnected to the server"), "{said}");
        newest.end();
        server.signal("TERM");
        server.end();
    }
}

#[test]
fn call_interrupted_by_a_killed_server_gets_an_error() {
    for legacy in [true, false] {
        let home = Home::new();
        agent(&home);
        let (server, _) = home.up(&["--port", "0"]);
        let waiting = ProcessProbe::watch(home.path("alive"));
        let mut client = match legacy {
            true => BridgeClient::legacy(&home, &["--agent", "crier"]),
            false => BridgeClient::start(&home, &["--agent", "crier"]),
        };
        client.send(if legacy { session_call(1, "wait", &json!({})) } else { call(1, "wait", &json!({})) });
        waiting.wait_for_start();
        server.kill();
        let cut = client.answer(&1.into());
        let words = cut["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {cut}"));
        assert!(words.contains("may have been executed"), "{words}");
        assert_eq!(cut["error"]["data"]["code"], "BTN-5002", "{cut}");
        let nobody = client.request(call(2, "shout", &json!({"words": "anybody?"})));
        assert!(
            nobody["error"]["message"].as_str().expect("a message").contains("no Baton server answers"),
            "{nobody}"
        );
        client.end();
        // Releases the tool of the killed server.
        drop(fs::File::options().write(true).open(home.path("gate")).expect("a pipe"));
        waiting.wait_for_end();
    }
}
