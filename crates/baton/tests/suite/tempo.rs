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

/// Serves at that port, with the Tempo at this address.
fn serving_at(home: &Home, port: &str, tempo: &str) -> (Running, String) {
    let tempo = format!("{tempo}/tempo");
    home.up_with(&[("TEMPO_URL", &tempo), ("OTEL_TRACES_EXPORTER", "none")], &["helper", "--port", port])
}

#[test]
fn two_that_ask_each_other_find_what_both_have_and_end() {
    let (one_home, one, one_url) = serving(&[]);
    let (two_home, two, two_url) = serving(&[]);
    for running in [one, two] {
        running.signal("TERM");
        running.end();
    }
    let port = |url: &str| url.rsplit(':').next().expect("a port").to_owned();
    let (_one, one_url) = serving_at(&one_home, &port(&one_url), &two_url);
    let (_two, two_url) = serving_at(&two_home, &port(&two_url), &one_url);
    send(&one_url, "one", &[1, 2]);
    send(&two_url, "two", &[2, 3]);
    let all: Vec<String> = (1..=3).map(|number| format!("step {number}")).collect();
    for url in [&one_url, &two_url] {
        assert_eq!(found(url), (all.clone(), false), "everything, and nobody ran out of patience");
        let trace = request(url, "GET", &format!("/tempo/api/v2/traces/{TRACE}"), &[], "");
        assert_eq!((trace.status, trace.body.matches("\"spanId\"").count()), (200, 3), "{trace:?}");
        let far = "/tempo/api/traces/00000000000000000000000000000001";
        assert_eq!(request(url, "GET", far, &[], "").status, 404, "both know that nobody knows it");
        let measured = format!("/tempo/api/metrics/query?q=%7B%7D%7Ccount_over_time()&{HOUR}");
        let measured = request(url, "GET", &measured, &[], "");
        assert!(measured.status == 200 && measured.header("x-baton-warnings").is_none(), "{measured:?}");
        let names = request(url, "GET", "/tempo/api/v2/search/tag/name/values", &[], "");
        assert!(all.iter().all(|name| names.body.contains(name)), "{names:?}");
    }
}

#[test]
fn one_that_asks_itself_ends() {
    let (home, first, url) = serving(&[]);
    first.signal("TERM");
    first.end();
    let (_again, url) = serving_at(&home, url.rsplit(':').next().expect("a port"), &url);
    send(&url, "one", &[1, 2]);
    assert_eq!(found(&url), (vec!["step 1".to_owned(), "step 2".to_owned()], false));
    // Whoever has passed it on too often hears that there may be more.
    let path = format!("/tempo/api/search?q=%7B%7D&{HOUR}");
    let far = request(&url, "GET", &path, &[("x-baton-hop", "a,b,c,d")], "");
    assert!(far.status == 200 && far.header("x-baton-warnings").is_some(), "{far:?}");
}

#[test]
fn an_address_that_is_none_is_said_before_anything_starts() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let ended = home.run_with(&[("TEMPO_URL", "tempo:3200")], &["up", "helper", "--port", "0"]);
    let told = ended.code != Some(0) && ended.stderr.contains("BTN-") && ended.stderr.contains("TEMPO_URL");
    assert!(told, "{}", ended.shown());
}
