//! OpenTelemetry's own SDKs send spans to the real binary, and clients of Tempo find them there;
//! `tests/python/otel_client.py` and `tests/otel/otel_client.mjs` say what they check.

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
    interpreter.runs(&[script, &url]);
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
