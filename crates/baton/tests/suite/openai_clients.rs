//! Clients that were written for OpenAI's API talk to the real binary; the scripts say what they check.

use crate::{
    binary::{Home, examples},
    foreign::Interpreter,
};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OPENAI_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-openai.txt"],
};

const NODE: Interpreter =
    Interpreter { variable: "BATON_TEST_OPENAI_NODE", set_up: &["scripts/node-env.sh", "tests/openai"] };

/// Serves agents that know every situation beside the example team, and lets a script loose on them.
fn talks(interpreter: &Interpreter, script: &str, rest: &[&str]) {
    let home = Home::new();
    // Conformance tests want requests refused that name nobody; the MCP server that clients bring is on this machine.
    home.write("baton.yaml", "responses: { strict_model: true, mcp_allow: [127.0.0.0/8] }\n");
    let examples = examples();
    let [desk, personal, weather] =
        ["../tests/agents/openai", "personal", "weather"].map(|directory| format!("{examples}/{directory}"));
    let (server, url) = home.up(&[&desk, &personal, &weather, "--port", "0", "--data", "data"]);
    interpreter.runs(&[&[script, &url], rest].concat());
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn llm_comply() {
    talks(&PYTHON, "tests/python/comply.py", &["gpt-5-desk"]);
}

#[test]
fn timestep_22_and_23_openai_of_python() {
    talks(&PYTHON, "tests/python/openai_client.py", &[]);
}

#[test]
fn agents_sdk_of_python() {
    talks(&PYTHON, "tests/python/openai_agents_client.py", &[]);
}

#[test]
fn langchain() {
    talks(&PYTHON, "tests/python/langchain_client.py", &[]);
}

#[test]
fn pydantic_ai() {
    talks(&PYTHON, "tests/python/pydantic_ai_client.py", &[]);
}

#[test]
fn openai_of_javascript() {
    talks(&NODE, "tests/openai/openai_client.mjs", &[]);
}

#[test]
fn agents_sdk_of_javascript() {
    talks(&NODE, "tests/openai/agents_client.mjs", &[]);
}

#[test]
fn ai_sdk() {
    talks(&NODE, "tests/openai/ai_client.mjs", &[]);
}
