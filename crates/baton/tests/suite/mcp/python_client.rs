//! The official Python client; `tests/python/mcp_client.py` says what it checks.

use super::served::{Served, alone};
use crate::foreign::Interpreter;

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_MCP_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-mcp.txt"],
};

fn over_http(mode: &str) {
    let served = Served::conformance();
    PYTHON.runs(&["tests/python/mcp_client.py", mode, &served.environment("mcp-conformance")]);
    served.end();
}

fn over_streams(mode: &str, server: &[String]) {
    let mut said = vec!["tests/python/mcp_client.py", mode];
    said.extend(server.iter().map(String::as_str));
    PYTHON.runs(&said);
}

#[test]
fn of_2026_over_http() {
    over_http("auto");
}

#[test]
fn of_2025_over_http() {
    over_http("legacy");
}

#[test]
fn of_2026_over_standard_streams() {
    let served = Served::conformance();
    over_streams("auto", &served.bridge("mcp-conformance"));
    served.end();
}

#[test]
fn of_2025_over_standard_streams() {
    let served = Served::conformance();
    over_streams("legacy", &served.bridge("mcp-conformance"));
    served.end();
}

#[test]
fn of_2026_over_standard_streams_without_a_server() {
    over_streams("auto", &alone());
}

#[test]
fn of_2025_over_standard_streams_without_a_server() {
    over_streams("legacy", &alone());
}
