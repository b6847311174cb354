//! The official Python client against the real binary; the checks are in `tests/python/a2a_client.py`.

use crate::foreign::{
    AgentSet::{self, Several, Single},
    Interpreter,
};

pub(crate) const PYTHON: Interpreter =
    Interpreter { variable: "BATON_TEST_PYTHON", set_up: &["scripts/python-env.sh"] };

fn run_client(binding: &str, served: AgentSet) {
    PYTHON.run_client_script("tests/python/a2a_client.py", binding, served);
}

#[test]
fn over_json_rpc() {
    run_client("JSONRPC", Single);
}

#[test]
fn over_http_json() {
    run_client("HTTP+JSON", Single);
}

#[test]
fn over_grpc() {
    run_client("GRPC", Single);
}

#[test]
fn over_json_rpc_among_several_agents() {
    run_client("JSONRPC", Several);
}

#[test]
fn over_http_json_among_several_agents() {
    run_client("HTTP+JSON", Several);
}

#[test]
fn over_grpc_among_several_agents() {
    run_client("GRPC", Several);
}
