//! The official JavaScript clients, older and newer; the checks are in `tests/mcp/mcp_client.mjs`.

use super::example_server::{ExampleServer, NODE};

fn run_over_http(generation: &str, mode: &str) {
    let served = ExampleServer::conformance();
    NODE.run_script(&["tests/mcp/mcp_client.mjs", generation, mode, &served.environment("mcp-conformance")]);
    served.end();
}

fn run_over_stdio(generation: &str, mode: &str) {
    let served = ExampleServer::conformance();
    let mut said = vec!["tests/mcp/mcp_client.mjs", generation, mode];
    let bridge = served.bridge("mcp-conformance");
    said.extend(bridge.iter().map(String::as_str));
    NODE.run_script(&said);
    served.end();
}

#[test]
fn sdk_over_http() {
    run_over_http("sdk", "legacy");
}

#[test]
fn sdk_over_stdio() {
    run_over_stdio("sdk", "legacy");
}

#[test]
fn client_2025_over_http() {
    run_over_http("client", "legacy");
}

#[test]
fn client_2026_over_http() {
    run_over_http("client", "auto");
}

#[test]
fn client_2026_over_stdio() {
    run_over_stdio("client", "auto");
}
