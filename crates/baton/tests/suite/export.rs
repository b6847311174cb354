//! Spans that one Baton sends to another, although both are killed now and then.

use crate::binary::{Home, Running, request};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// Long beyond what an agent needs, and far below what a collector that is away would cost.
const PATIENCE: Duration = Duration::from_secs(10);
const ALONE: &[(&str, &str)] = &[("OTEL_TRACES_EXPORTER", "none")];

fn asks(home: &Home, count: usize) {
    for _ in 0..count {
        let begun = Instant::now();
        let asked = home.run(&["run", "one", "hi"]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        assert!(begun.elapsed() < PATIENCE, "an agent waited for {:?}", begun.elapsed());
    }
}

fn json(url: &str, path: &str) -> Value {
    let reply = request(url, "GET", path, &[("Accept", "application/json")], "");
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    serde_json::from_str(&reply.body).expect("JSON")
}

/// The ids of all spans that a Baton has; one that is there twice fails.
fn spans(url: &str) -> BTreeSet<String> {
    let found = json(url, "/tempo/api/search?q=%7B%7D&limit=1000&start=1&end=4000000000");
    let mut ids = BTreeSet::new();
    for trace in found["traces"].as_array().expect("traces") {
        let id = trace["traceID"].as_str().expect("an id");
        let whole = json(url, &format!("/tempo/api/v2/traces/{id}"));
        for resource in whole["trace"]["resourceSpans"].as_array().expect("resources") {
            for scope in resource["scopeSpans"].as_array().expect("scopes") {
                for span in scope["spans"].as_array().expect("spans") {
                    let key = format!("{id} {} {}", span["spanId"], span["name"]);
                    assert!(ids.insert(key), "{span} is there twice");
                }
            }
        }
    }
    ids
}

fn ends(server: Running) -> String {
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    ended.stderr
}

#[test]
fn every_span_arrives_although_both_sides_are_killed() {
    let (home, collector) = (Home::new(), Home::new());
    for home in [&home, &collector] {
        home.agent("one", "", "rules: [{ say: hello }]\n");
    }
    let (taking, endpoint) = collector.up_with(ALONE, &["--port", "0"]);
    let port = endpoint.rsplit(':').next().expect("a port").to_owned();
    let named = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
    let (sending, _) = home.up_with(&named, &["--port", "0"]);
    asks(&home, 4);
    taking.kill();
    asks(&home, 6);
    sending.kill();
    let (sending, _) = home.up_with(&named, &["--port", "0"]);
    asks(&home, 6);
    sending.kill();
    let (taking, endpoint) = collector.up_with(ALONE, &["--port", &port]);
    let (sending, _) = home.up_with(&named, &["--port", "0"]);
    asks(&home, 1);
    // An orderly end sends what is left.
    ends(sending);
    let (kept, url) = home.up_with(ALONE, &["--port", "0"]);
    let (sent, arrived) = (spans(&url), spans(&endpoint));
    let missing: Vec<_> = sent.difference(&arrived).collect();
    assert!(missing.is_empty(), "{} of {} did not arrive: {missing:?}", missing.len(), sent.len());
    let invented: Vec<_> = arrived.difference(&sent).collect();
    assert!(invented.is_empty(), "nobody made {invented:?}");
    // A kill may cost the spans of requests, which are no facts; runs and model calls are.
    assert!(sent.len() >= 2 * 17, "only {} spans were made", sent.len());
    ends(kept);
    ends(taking);
}

#[test]
fn without_a_collector_nothing_is_held_and_nothing_said() {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    let (server, _) = home.up(&["--port", "0", "--log", "info"]);
    asks(&home, 2);
    let said = ends(server);
    assert!(!said.contains("4317") && !said.contains("export"), "{said}");
    let held = std::fs::read_dir(home.path(".baton/spans/outgoing")).into_iter().flatten().count();
    assert_eq!(held, 0);
}
