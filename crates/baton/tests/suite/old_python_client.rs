//! The official Python client of protocol 0.3 against the real binary; the checks are in `tests/python/old_client.py`.

use crate::foreign::{
    AgentSet::{self, Several, Single},
    Interpreter,
};

pub(crate) const OLD_PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OLD_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-0.3.txt"],
};

fn run_client(transport: &str, served: AgentSet) {
    OLD_PYTHON.run_client_script("tests/python/old_client.py", transport, served);
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
