//! A remote Tempo: another Baton, which implements the same API.

use crate::binary::{Home, LONG_RETENTION, RunningProcess, free_port, request};
use serde_json::{Value, json};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// All spans are in this hour.
const HOUR: &str = "start=1794815000&end=1794817000";

/// Serves at that port, with the Tempo at this address.
fn serving(port: &str, tempo: Option<&str>) -> (Home, RunningProcess, String) {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let tempo = tempo.map(|url| format!("{url}/tempo"));
    let variables: Vec<(&str, &str)> = tempo.iter().map(|url| ("TEMPO_URL", url.as_str())).collect();
    let (server, url) = home.up_with(&variables, &["helper", "--port", port]);
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

/// Names of the spans that a search finds, and whether the result may be incomplete.
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
fn local_and_remote_spans_are_one_trace_until_tempo_stops() {
    let (_far_home, far, far_url) = serving("0", None);
    let (near_home, _near, near_url) = serving("0", Some(&far_url));
    send(&far_url, "far", &[1, 2]);
    send(&near_url, "near", &[2, 3]);
    let names = |numbers: &[u32]| numbers.iter().map(|number| format!("step {number}")).collect::<Vec<_>>();
    assert_eq!(found(&near_url), (names(&[1, 2, 3]), false));
    let shown = near_home.run(&["trace", "show", TRACE, "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(shown.to_string().matches("\"spanId\"").count(), 3, "{shown}");

    far.signal("TERM");
    far.end();
    assert_eq!(found(&near_url), (names(&[2, 3]), true), "the result is marked as incomplete");
}

#[test]
fn mutually_configured_instances_merge_spans_and_terminate() {
    let (one, two) = (free_port(), free_port());
    let (_one_home, _one, one_url) = serving(&one, Some(&format!("http://127.0.0.1:{two}")));
    let (_two_home, _two, two_url) = serving(&two, Some(&one_url));
    send(&one_url, "one", &[1, 2]);
    send(&two_url, "two", &[2, 3]);
    let all: Vec<String> = (1..=3).map(|number| format!("step {number}")).collect();
    for url in [&one_url, &two_url] {
        assert_eq!(found(url), (all.clone(), false), "the result is complete, without timeouts");
        let trace = request(url, "GET", &format!("/tempo/api/v2/traces/{TRACE}"), &[], "");
        assert_eq!((trace.status, trace.body.matches("\"spanId\"").count()), (200, 3), "{trace:?}");
        let far = "/tempo/api/traces/00000000000000000000000000000001";
        assert_eq!(request(url, "GET", far, &[], "").status, 404, "a trace unknown to both is not found");
        let measured = format!("/tempo/api/metrics/query?q=%7B%7D%7Ccount_over_time()&{HOUR}");
        let measured = request(url, "GET", &measured, &[], "");
        assert!(measured.status == 200 && measured.header("x-baton-warnings").is_none(), "{measured:?}");
        let names = request(url, "GET", "/tempo/api/v2/search/tag/name/values", &[], "");
        assert!(all.iter().all(|name| names.body.contains(name)), "{names:?}");
    }
}

#[test]
fn instance_configured_with_itself_terminates() {
    let port = free_port();
    let (_home, _server, url) = serving(&port, Some(&format!("http://127.0.0.1:{port}")));
    send(&url, "one", &[1, 2]);
    assert_eq!(found(&url), (vec!["step 1".to_owned(), "step 2".to_owned()], false));
    // The instance that reaches the forwarding limit reports that the result may be incomplete.
    let path = format!("/tempo/api/search?q=%7B%7D&{HOUR}");
    let far = request(&url, "GET", &path, &[("x-baton-hop", "a,b,c,d")], "");
    assert!(far.status == 200 && far.header("x-baton-warnings").is_some(), "{far:?}");
}

#[test]
fn invalid_tempo_address_is_rejected_at_startup() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let ended = home.run_with(&[("TEMPO_URL", "tempo:3200")], &["up", "helper", "--port", "0"]);
    let rejected = ended.code != Some(0) && ended.stderr.contains("BTN-") && ended.stderr.contains("TEMPO_URL");
    assert!(rejected, "{}", ended.shown());
}
