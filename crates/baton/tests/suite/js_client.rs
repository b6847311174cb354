//! The official JavaScript client talks to the real binary; `tests/js/a2a_client.mjs` says what it checks.

use crate::foreign::{
    Interpreter,
    Served::{self, Alone, AmongSeveral},
};

pub(crate) const NODE: Interpreter = Interpreter { variable: "BATON_TEST_NODE", set_up: &["scripts/node-env.sh"] };

fn talks(binding: &str, served: Served) {
    NODE.talks("tests/js/a2a_client.mjs", binding, served);
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
