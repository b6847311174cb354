//! Clients of OpenAI's API against the real binary; the checks are in the scripts.

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

/// Serves conformance agents beside the example team and runs a script against them.
fn run_client_script(interpreter: &Interpreter, script: &str, rest: &[&str]) {
    let home = Home::new();
    // Conformance tests expect requests without a model to be rejected; the clients' MCP server is on this machine.
    home.write("baton.yaml", "responses: { strict_model: true, mcp_allow: [127.0.0.0/8] }\n");
    let examples = examples();
    let [desk, personal, weather] =
        ["../tests/agents/openai", "personal", "weather"].map(|directory| format!("{examples}/{directory}"));
    let (server, url) = home.up(&[&desk, &personal, &weather, "--port", "0", "--data", "data"]);
    interpreter.run_script(&[&[script, &url], rest].concat());
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn llm_comply() {
    run_client_script(&PYTHON, "tests/python/comply.py", &["gpt-5-desk"]);
}

#[test]
fn timestep_22_and_23_openai_of_python() {
    run_client_script(&PYTHON, "tests/python/openai_client.py", &[]);
}

#[test]
fn agents_sdk_of_python() {
    run_client_script(&PYTHON, "tests/python/openai_agents_client.py", &[]);
}

#[test]
fn langchain() {
    run_client_script(&PYTHON, "tests/python/langchain_client.py", &[]);
}

#[test]
fn pydantic_ai() {
    run_client_script(&PYTHON, "tests/python/pydantic_ai_client.py", &[]);
}

#[test]
fn openai_of_javascript() {
    run_client_script(&NODE, "tests/openai/openai_client.mjs", &[]);
}

#[test]
fn agents_sdk_of_javascript() {
    run_client_script(&NODE, "tests/openai/agents_client.mjs", &[]);
}

#[test]
fn ai_sdk() {
    run_client_script(&NODE, "tests/openai/ai_client.mjs", &[]);
}
