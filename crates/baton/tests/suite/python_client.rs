//! The official Python client talks to the real binary; `tests/python/a2a_client.py` says what it checks.

use crate::foreign::{
    Interpreter,
    Served::{self, Alone, AmongSeveral},
};

pub(crate) const PYTHON: Interpreter =
    Interpreter { variable: "BATON_TEST_PYTHON", set_up: &["scripts/python-env.sh"] };

fn talks(binding: &str, served: Served) {
    PYTHON.talks("tests/python/a2a_client.py", binding, served);
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

#[test]
fn over_grpc_among_several_agents() {
    talks("GRPC", AmongSeveral);
}
