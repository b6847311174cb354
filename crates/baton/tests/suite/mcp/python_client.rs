//! The official Python client; `tests/python/mcp_client.py` says what it checks.

use super::served::Served;
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

fn over_streams(mode: &str) {
    let served = Served::conformance();
    let mut said = vec!["tests/python/mcp_client.py", mode];
    let bridge = served.bridge("mcp-conformance");
    said.extend(bridge.iter().map(String::as_str));
    PYTHON.runs(&said);
    served.end();
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
    over_streams("auto");
}

#[test]
fn of_2025_over_standard_streams() {
    over_streams("legacy");
}
