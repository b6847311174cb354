//! Memory that remains allocated after a burst of work.

use crate::binary::{Home, LONG_RETENTION, request};
use serde_json::json;
use std::{fs, thread};

const CLIENTS: usize = 8;
const TURNS: usize = 300;
/// Upper bound for the anonymous memory that remains; huge pages for small allocations would more than double it.
const MAX_ANONYMOUS_KB: u64 = 40 << 10;

fn anonymous_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a figure");
    line.trim().strip_suffix(" kB").and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn memory_is_released_after_a_burst_of_work() {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, url) = home.up(&["helper", "--port", "0"]);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let url = &url;
            scope.spawn(move || {
                for turn in 0..TURNS {
                    let stream = turn % 2 == 0;
                    let body = json!({ "model": "helper", "input": format!("{client} {turn}"), "stream": stream });
                    let headers = [("Content-Type", "application/json")];
                    let reply = request(url, "POST", "/v1/responses", &headers, &body.to_string());
                    assert_eq!(reply.status, 200, "{reply:?}");
                }
            });
        }
    });
    let anonymous = anonymous_kb(server.pid());
    assert!(anonymous < MAX_ANONYMOUS_KB, "{anonymous} kB");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
