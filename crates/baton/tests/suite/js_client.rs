//! The official JavaScript client against the real binary; `tests/js/a2a_client.mjs` documents its checks.

use crate::foreign::{
    AgentSet::{self, Several, Single},
    Interpreter,
};

pub(crate) const NODE: Interpreter = Interpreter { variable: "BATON_TEST_NODE", set_up: &["scripts/node-env.sh"] };

fn run_client(binding: &str, served: AgentSet) {
    NODE.run_client_script("tests/js/a2a_client.mjs", binding, served);
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
