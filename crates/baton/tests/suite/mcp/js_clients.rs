//! The official JavaScript clients, older and newer; `tests/mcp/mcp_client.mjs` says what they check.

use super::served::{NODE, Served};

fn over_http(generation: &str, mode: &str) {
    let served = Served::conformance();
    NODE.runs(&["tests/mcp/mcp_client.mjs", generation, mode, &served.environment("mcp-conformance")]);
    served.end();
}

fn over_streams(generation: &str, mode: &str) {
    let served = Served::conformance();
    let mut said = vec!["tests/mcp/mcp_client.mjs", generation, mode];
    let bridge = served.bridge("mcp-conformance");
    said.extend(bridge.iter().map(String::as_str));
    NODE.runs(&said);
    served.end();
}

#[test]
fn the_older_over_http() {
    over_http("sdk", "legacy");
}

#[test]
fn the_older_over_standard_streams() {
    over_streams("sdk", "legacy");
}

#[test]
fn the_newer_of_2025_over_http() {
    over_http("client", "legacy");
}

#[test]
fn the_newer_of_2026_over_http() {
    over_http("client", "auto");
}

#[test]
fn the_newer_of_2026_over_standard_streams() {
    over_streams("client", "auto");
}
