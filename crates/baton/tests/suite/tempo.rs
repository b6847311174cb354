//! A Tempo elsewhere: another Baton, which speaks the same language.

use crate::binary::{Home, Running, request};
use serde_json::{Value, json};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// All spans are of this hour.
const HOUR: &str = "start=1794815000&end=1794817000";

fn serving(variables: &[(&str, &str)]) -> (Home, Running, String) {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, url) = home.up_with(variables, &["helper", "--port", "0"]);
    (home, server, url)
}

fn send(url: &str, service: &str, ids: &[u64]) {
    let span = |id: &u64| {
        let at = 1_794_816_000_000_000_000_u64 + id * 1_000_000;
        let parent = if *id > 1 { format!("{:016x}", id - 1) } else { String::new() };
        json!({ "traceId": TRACE, "spanId": format!("{id:016x}"), "parentSpanId": parent, "name": format!("step {id}"),
            "startTimeUnixNano": at.to_string(), "endTimeUnixNano": (at + 500_000).to_string() })
    };
    let body = json!({ "resourceSpans": [{
        "resource": { "attributes": [{ "key": "service.name", "value": { "stringValue": service } }] },
        "scopeSpans": [{ "spans": ids.iter().map(span).collect::<Vec<_>>() }],
    }] });
    let reply = request(url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &body.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
}

/// The names of the spans that a search finds, and whether it says that there may be more.
fn found(url: &str) -> (Vec<String>, bool) {
    let path = format!("/tempo/api/search?q=%7B%20%7D&spss=10&{HOUR}");
    let reply = request(url, "GET", &path, &[], "");
    assert_eq!(reply.status, 200, "{reply:?}");
    let answer: Value = serde_json::from_str(&reply.body).expect("JSON");
    assert_eq!(answer["traces"].as_array().map(Vec::len), Some(1), "{answer}");
    let spans = answer["traces"][0]["spanSets"][0]["spans"].as_array().expect("spans").iter();
    let names = spans.map(|span| span["name"].as_str().expect("a name").to_owned()).collect();
    (names, answer["metrics"]["completedJobs"] != answer["metrics"]["totalJobs"])
}

#[test]
fn spans_here_and_elsewhere_are_one_trace_until_the_tempo_is_gone() {
    let (_far_home, far, far_url) = serving(&[]);
    let tempo = format!("{far_url}/tempo");
    let (near_home, _near, near_url) = serving(&[("TEMPO_URL", &tempo)]);
    send(&far_url, "far", &[1, 2]);
    send(&near_url, "near", &[2, 3]);
    let names = |numbers: &[u32]| numbers.iter().map(|number| format!("step {number}")).collect::<Vec<_>>();
    assert_eq!(found(&near_url), (names(&[1, 2, 3]), false));
    let shown = near_home.run(&["trace", "show", TRACE, "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(shown.to_string().matches("\"spanId\"").count(), 3, "{shown}");

    far.signal("TERM");
    far.end();
    assert_eq!(found(&near_url), (names(&[2, 3]), true), "and nobody is told that this is all");
}

#[test]
fn an_address_that_is_none_is_said_before_anything_starts() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let ended = home.run_with(&[("TEMPO_URL", "tempo:3200")], &["up", "helper", "--port", "0"]);
    let told = ended.code != Some(0) && ended.stderr.contains("BTN-") && ended.stderr.contains("TEMPO_URL");
    assert!(told, "{}", ended.shown());
}
