//! The official Python client; the checks are in `tests/python/mcp_client.py`.

use super::example_server::{ExampleServer, stdio_command};
use crate::foreign::Interpreter;

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_MCP_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-mcp.txt"],
};

fn run_over_http(mode: &str) {
    let served = ExampleServer::conformance();
    PYTHON.run_script(&["tests/python/mcp_client.py", mode, &served.environment("mcp-conformance")]);
    served.end();
}

fn run_over_stdio(mode: &str, server: &[String]) {
    let mut said = vec!["tests/python/mcp_client.py", mode];
    said.extend(server.iter().map(String::as_str));
    PYTHON.run_script(&said);
}

#[test]
fn protocol_2026_over_http() {
    run_over_http("auto");
}

#[test]
fn protocol_2025_over_http() {
    run_over_http("legacy");
}

#[test]
fn protocol_2026_over_stdio() {
    let served = ExampleServer::conformance();
    run_over_stdio("auto", &served.bridge("mcp-conformance"));
    served.end();
}

#[test]
fn protocol_2025_over_stdio() {
    let served = ExampleServer::conformance();
    run_over_stdio("legacy", &served.bridge("mcp-conformance"));
    served.end();
}

#[test]
fn protocol_2026_over_stdio_without_server() {
    run_over_stdio("auto", &stdio_command());
}

#[test]
fn protocol_2025_over_stdio_without_server() {
    run_over_stdio("legacy", &stdio_command());
}
