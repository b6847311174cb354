//! OpenTelemetry SDKs send spans to the real binary, and Tempo clients find them there; the checks are in
//! `tests/python/otel_client.py` and `tests/otel/otel_client.mjs`.

use crate::{
    binary::{Home, examples},
    foreign::Interpreter,
};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OTEL_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-otel.txt"],
};

const NODE: Interpreter =
    Interpreter { variable: "BATON_TEST_OTEL_NODE", set_up: &["scripts/node-env.sh", "tests/otel"] };

fn sends(interpreter: &Interpreter, script: &str) {
    let home = Home::new();
    let (server, url) = home.up(&[&examples(), "--port", "0"]);
    interpreter.run_script(&[script, &url]);
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn spans_of_the_python_sdk() {
    sends(&PYTHON, "tests/python/otel_client.py");
}

#[test]
fn spans_of_the_javascript_sdk() {
    sends(&NODE, "tests/otel/otel_client.mjs");
}
