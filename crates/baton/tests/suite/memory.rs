//! Memory that is kept when a burst of work is over.

use crate::binary::{Home, KEPT, request};
use serde_json::json;
use std::{fs, thread};

const CLIENTS: usize = 8;
const TURNS: usize = 300;
/// Most anonymous memory that may stay; with huge pages for small allocations it is more than twice as much.
const MAX_ANONYMOUS_KB: u64 = 40 << 10;

fn anonymous_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a figure");
    line.trim().strip_suffix(" kB").and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn little_memory_stays_after_a_burst_of_work() {
    let home = Home::new();
    home.write("baton.yaml", KEPT);
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
