//! The server goes away, and comes back as another one.

use super::talk::{Alive, Talk, agent, call, session_call, text};
use crate::binary::Home;
use serde_json::json;
use std::fs;

#[test]
fn the_bridge_finds_the_next_server_and_its_session() {
    let home = Home::new();
    agent(&home);
    for auth in [&["--port", "0"][..], &["--port", "0", "--auth"]] {
        let (server, _) = home.up(auth);
        let mut session = Talk::legacy(&home, &["--agent", "crier"]);
        let mut newest = Talk::start(&home, &["--agent", "crier"]);
        assert_eq!(text(&session.asks(session_call(1, "shout", &json!({"words": "before"})))), "before!");
        assert_eq!(text(&newest.asks(call(1, "shout", &json!({"words": "before"})))), "before!");
        server.kill();
        // Another port and another token of the owner.
        let (server, _) = home.up(auth);
        assert_eq!(text(&session.asks(session_call(2, "shout", &json!({"words": "after"})))), "after!");
        assert_eq!(text(&newest.asks(call(2, "shout", &json!({"words": "after"})))), "after!");
        // The next one knows nothing of the session, which is opened again.
        server.kill();
        fs::remove_dir_all(home.path(".baton/mcp-sessions")).expect("sessions were kept");
        let (server, _) = home.up(auth);
        assert_eq!(text(&session.asks(session_call(3, "shout", &json!({"words": "again"})))), "again!");
        let (_, said) = session.end();
        assert!(said.contains("reconnected to the server"), "{said}");
        newest.end();
        server.signal("TERM");
        server.end();
    }
}

#[test]
fn a_call_that_the_end_of_the_server_cuts_off_is_answered() {
    for legacy in [true, false] {
        let home = Home::new();
        agent(&home);
        let (server, _) = home.up(&["--port", "0"]);
        let waiting = Alive::watch(home.path("alive"));
        let mut talk = match legacy {
            true => Talk::legacy(&home, &["--agent", "crier"]),
            false => Talk::start(&home, &["--agent", "crier"]),
        };
        talk.says(if legacy { session_call(1, "wait", &json!({})) } else { call(1, "wait", &json!({})) });
        waiting.begins();
        server.kill();
        let cut = talk.answer(&1.into());
        let words = cut["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {cut}"));
        assert!(words.contains("may have been executed"), "{words}");
        assert_eq!(cut["error"]["data"]["code"], "BTN-5002", "{cut}");
        let nobody = talk.asks(call(2, "shout", &json!({"words": "anybody?"})));
        assert!(nobody["error"]["message"].as_str().expect("words").contains("no Baton server answers"), "{nobody}");
        talk.end();
        // What the dead server's tool waits for.
        drop(fs::File::options().write(true).open(home.path("gate")).expect("a pipe"));
        waiting.ends();
    }
}
