//! The same list: handoffs that cannot work end soon, with words that say why.

use super::{
    environment::hands_over,
    team::{QUESTION, Tools, asked, passes_on, personal_at},
};
use crate::binary::{Home, own_port};
use serde_json::json;
use std::{
    io::ErrorKind,
    net::TcpListener,
    time::{Duration, Instant},
};

/// Far below the deadline of a handoff, and enough for a slow machine.
const SOON: Duration = Duration::from_secs(60);

/// An address at which nobody listens, now.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://localhost:{}", listener.local_addr().expect("bound").port())
}

#[test]
fn timestep_19_an_agent_that_cannot_be_reached_is_admitted_in_the_answer() {
    for tools in [Tools::Agent, Tools::Caller] {
        let home = Home::new();
        let (server, url) = personal_at(&home, &nobody(), tools);
        let begun = Instant::now();
        let answered = home.run(&["run", &url, QUESTION, "--data", "asker", "-q"]);
        assert_eq!(answered.code, Some(0), "{}", answered.shown());
        assert!(answered.stdout.starts_with("The Weather Assistant could not help: "), "{}", answered.shown());
        assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
        server.kill();
    }
}

#[test]
fn timestep_20_work_that_comes_back_stops_with_an_explanation() {
    let home = Home::new();
    passes_on(&home, "first", "handoffs: [second]\n", "second");
    passes_on(&home, "second", "handoffs: [first]\n", "first");
    let (server, _) = home.up(&["first", "second", "--port", "0", "--data", "both"]);
    let answered = asked(&home, "first", "both");
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.contains("first heard: second could not:"), "{}", answered.shown());
    assert!(answered.stdout.contains("would create a cycle"), "{}", answered.shown());
    server.kill();
}

/// Two Batons know each other by address only, so how often the work was handed over is what stops it.
#[test]
fn timestep_20_work_that_comes_back_from_another_process_stops_with_an_explanation() {
    let home = Home::new();
    let at = |url: &str, name: &str| format!("handoffs: [{{ agent: {name}, url: \"{url}\" }}]\n");
    let port = own_port();
    let second = format!("http://127.0.0.1:{port}");
    passes_on(&home, "first", &at(&second, "second"), &second);
    let (one, first) = home.up(&["first", "--port", "0", "--data", "one"]);
    passes_on(&home, "second", &at(&first, "first"), &first);
    let (two, _) = home.up(&["second", "--port", &port, "--data", "two"]);
    let answered = asked(&home, "first", "one");
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.starts_with("first heard: second heard: first heard: "), "{}", answered.shown());
    assert!(answered.stdout.contains("5 is the limit"), "{}", answered.shown());
    one.kill();
    two.kill();
}

#[test]
fn timestep_21_an_address_outside_the_allow_list_is_refused_and_never_called() {
    let home = Home::new();
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a free port");
    elsewhere.set_nonblocking(true).expect("a listener that can be looked at");
    let stranger = format!("http://localhost:{}", elsewhere.local_addr().expect("bound").port());
    passes_on(&home, "lured", "handoffs: [friend]\n", &stranger);
    passes_on(&home, "friend", "", "lured");
    let (server, url) = home.up(&["lured", "friend", "--port", "0", "--data", "both"]);

    let answered = asked(&home, "lured", "both");
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.contains("lured could not:"), "{}", answered.shown());
    assert!(answered.stdout.contains("may not hand work to"), "{}", answered.shown());
    for capabilities in [json!({}), json!({"sampling": {}})] {
        // Whoever has no list may hand work to those that are served here, and to no address.
        for (agent, uri) in [("lured", stranger.as_str()), ("friend", &stranger), ("lured", "nobody")] {
            let refused = hands_over(&format!("{url}/agents/{agent}"), &capabilities, uri, QUESTION);
            assert_eq!(refused["isError"], true, "{agent} to {uri}: {refused:#}");
        }
    }
    let called = elsewhere.accept().expect_err("nobody came");
    assert_eq!(called.kind(), ErrorKind::WouldBlock);
    server.kill();
}
