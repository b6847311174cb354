//! The same checklist: handoffs that cannot succeed end soon, with an explanation.

use super::{
    environment::call_handoff,
    team::{QUESTION, ToolOwner, personal_at, run_question, write_forwarding_agent},
};
use crate::binary::{Home, free_port};
use serde_json::json;
use std::{
    io::ErrorKind,
    net::TcpListener,
    time::{Duration, Instant},
};

/// Far below the handoff deadline, and enough for a slow machine.
const MAX_REFUSAL_TIME: Duration = Duration::from_secs(60);

/// A URL with a free port.
fn unused_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://localhost:{}", listener.local_addr().expect("bound").port())
}

#[test]
fn timestep_19_unreachable_agent_is_reported_in_the_answer() {
    for tools in [ToolOwner::Agent, ToolOwner::Caller] {
        let home = Home::new();
        let (server, url) = personal_at(&home, &unused_url(), tools);
        let begun = Instant::now();
        let answered = home.run(&["run", &url, QUESTION, "--data", "asker", "-q"]);
        assert_eq!(answered.code, Some(0), "{}", answered.shown());
        assert!(answered.stdout.starts_with("The Weather Assistant could not help: "), "{}", answered.shown());
        assert!(begun.elapsed() < MAX_REFUSAL_TIME, "it took {:?}", begun.elapsed());
        server.kill();
    }
}

#[test]
fn timestep_20_handoff_cycle_stops_with_an_explanation() {
    let home = Home::new();
    write_forwarding_agent(&home, "first", "handoffs: [second]\n", "second");
    write_forwarding_agent(&home, "second", "handoffs: [first]\n", "first");
    let (server, _) = home.up(&["first", "second", "--port", "0", "--data", "both"]);
    let answered = run_question(&home, "first", "both");
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.contains("first heard: second could not:"), "{}", answered.shown());
    assert!(answered.stdout.contains("would create a cycle"), "{}", answered.shown());
    server.kill();
}

/// Each Baton knows the other only by URL, so the cycle is stopped by the handoff depth.
#[test]
fn timestep_20_handoff_cycle_across_processes_stops_with_an_explanation() {
    let home = Home::new();
    let at = |url: &str, name: &str| format!("handoffs: [{{ agent: {name}, url: \"{url}\" }}]\n");
    let port = free_port();
    let second = format!("http://127.0.0.1:{port}");
    write_forwarding_agent(&home, "first", &at(&second, "second"), &second);
    let (one, first) = home.up(&["first", "--port", "0", "--data", "one"]);
    write_forwarding_agent(&home, "second", &at(&first, "first"), &first);
    let (two, _) = home.up(&["second", "--port", &port, "--data", "two"]);
    let answered = run_question(&home, "first", "one");
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.starts_with("first heard: second heard: first heard: "), "{}", answered.shown());
    assert!(answered.stdout.contains("5 is the limit"), "{}", answered.shown());
    one.kill();
    two.kill();
}

#[test]
fn timestep_21_an_address_outside_the_allow_list_is_refused_and_never_called() {
    let home = Home::new();
    let unlisted = TcpListener::bind("127.0.0.1:0").expect("a free port");
    unlisted.set_nonblocking(true).expect("a non-blocking listener");
    let stranger = format!("http://localhost:{}", unlisted.local_addr().expect("bound").port());
    write_forwarding_agent(&home, "lured", "handoffs: [friend]\n", &stranger);
    write_forwarding_agent(&home, "friend", "", "lured");
    let (server, url) = home.up(&["lured", "friend", "--port", "0", "--data", "both"]);

    let answered = run_question(&home, "lured", "both");
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.contains("lured could not:"), "{}", answered.shown());
    assert!(answered.stdout.contains("may not hand work to"), "{}", answered.shown());
    for capabilities in [json!({}), json!({"sampling": {}})] {
        // Without an allow list, only agents of this server are allowed, and no URL.
        for (agent, uri) in [("lured", stranger.as_str()), ("friend", &stranger), ("lured", "nobody")] {
            let refused = call_handoff(&format!("{url}/agents/{agent}"), &capabilities, uri, QUESTION);
            assert_eq!(refused["isError"], true, "{agent} to {uri}: {refused:#}");
        }
    }
    let called = unlisted.accept().expect_err("no connection");
    assert_eq!(called.kind(), ErrorKind::WouldBlock);
    server.kill();
}
