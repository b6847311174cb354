//! The official Python client of protocol 0.3 talks to the real binary; `tests/python/old_client.py` says what it checks.

use crate::foreign::{
    Interpreter,
    Served::{self, Alone, AmongSeveral},
};

pub(crate) const OLD_PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OLD_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-0.3.txt"],
};

fn talks(transport: &str, served: Served) {
    OLD_PYTHON.talks("tests/python/old_client.py", transport, served);
}

#[test]
fn over_json_rpc() {
    talks("JSONRPC", Alone);
}

#[test]
fn over_http_json() {
    talks("HTTP+JSON", Alone);
}

#[test]
fn over_grpc() {
    talks("GRPC", Alone);
}

#[test]
fn over_json_rpc_among_several_agents() {
    talks("JSONRPC", AmongSeveral);
}

#[test]
fn over_http_json_among_several_agents() {
    talks("HTTP+JSON", AmongSeveral);
}
