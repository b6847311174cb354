//! Concurrent expensive queries are rejected with advice; memory and the probes are not affected.

use crate::binary::{Home, LONG_RETENTION, Reply, open, request};
use serde_json::json;
use std::{fs, thread};

const NOW: u64 = 1_794_816_000;
const HOURS: u64 = 3 * 3_600;
const USERS: u64 = 900;
/// Concurrent clients.
const CLIENTS: usize = 24;
/// Upper bound for resident memory; unbounded queries take several times as much.
const MAX_RESIDENT_KB: u64 = 1 << 20;

/// Sends spans of many users over three hours.
fn send(url: &str, first: u64, count: u64) {
    let span = |number: u64| {
        let at = (NOW - number * 7_919 % HOURS) * 1_000_000_000;
        json!({ "traceId": format!("{:032x}", number / 10 + 1), "spanId": format!("{:016x}", number + 1), "name": "work",
            "startTimeUnixNano": at.to_string(), "endTimeUnixNano": (at + 1_000_000 + number).to_string(),
            "attributes": [{ "key": "user", "value": { "stringValue": format!("user-{}", number % USERS) } }] })
    };
    let spans: Vec<_> = (first..first + count).map(span).collect();
    let body = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] });
    let reply = request(url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &body.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
}

fn path(query: &str, step: &str) -> String {
    let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/tempo/api/metrics/query_range?q={query}&start={}&end={NOW}&step={step}", NOW - HOURS)
}

fn ask(url: &str, query: &str, step: &str) -> Reply {
    request(url, "GET", &path(query, step), &[], "")
}

fn resident_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
fn expensive_queries_are_refused_while_probes_are_answered() {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, url) = home.up(&["helper", "--port", "0"]);
    for first in (0..8_000).step_by(2_000) {
        send(&url, first, 2_000);
    }
    let expensive = [
        "{ } | rate() by (span.user)",
        "{ } | histogram_over_time(duration) by (span.user)",
        "{ } | quantile_over_time(duration, 0.1, 0.5, 0.9) by (span.user)",
        "{ } >> { } || { } | avg_over_time(duration) by (span.user)",
    ];
    // The responses are awaited later.
    let abandoned: Vec<_> = (0..6).map(|number| open(&url, "GET", &path(expensive[number % 4], "1s"), "")).collect();
    drop(abandoned);
    thread::scope(|scope| {
        let asked: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let url = &url;
                scope.spawn(move || ask(url, expensive[number % expensive.len()], "1s"))
            })
            .collect();
        while asked.iter().any(|asked| !asked.is_finished()) {
            assert_eq!(request(&url, "GET", "/healthz", &[], "").status, 200);
            assert_eq!(request(&url, "GET", "/readyz", &[], "").status, 200);
        }
        for reply in asked.into_iter().map(|asked| asked.join().expect("a reply")) {
            assert_eq!(reply.status, 422, "{}", reply.body);
            assert!(reply.body.contains("BTN-2040") && reply.body.contains("use a longer step"), "{}", reply.body);
        }
    });
    let resident = resident_kb(server.pid());
    assert!(resident < MAX_RESIDENT_KB, "{resident} kB");
    // The advice in the error helps.
    let narrowed = ask(&url, expensive[0], "60s");
    assert_eq!(narrowed.status, 200, "{}", narrowed.body);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
