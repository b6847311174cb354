//! Public A2A clients, unmodified, show the agent's answer exactly once; `tests/clients` says what each is asked. Clients
//! that take long to install are run by `make test-clients` only.

use crate::{
    binary::{Home, await_line, examples},
    foreign::Interpreter,
};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_CLIENTS_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/clients/requirements.txt"],
};

const OLD_PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OLD_CLIENTS_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/clients/requirements-0.3.txt"],
};

const NODE: Interpreter =
    Interpreter { variable: "BATON_TEST_CLIENTS_NODE", set_up: &["scripts/node-env.sh", "tests/clients"] };

/// Runs a client against a Baton with one agent, which is found at its root, and against one with several, at the address
/// that `baton up` prints.
fn shows_each_answer_once(interpreter: &Interpreter, script: &str) {
    let guide = format!("{}/../tests/agents/clients/guide", examples());
    let weather = format!("{}/weather", examples());
    for agents in [&[guide.as_str()][..], &[&guide, &weather]] {
        let home = Home::new();
        let (mut server, url) = home.up(&[agents, &["--port", "0", "--data", "data"]].concat());
        let line = await_line(&mut server.stderr, "guide ");
        let printed = line.split_whitespace().nth(1).expect("an address");
        let shown = interpreter.runs(&[script, if agents.len() == 1 { &url } else { printed }]);
        assert!(shown.lines().any(|line| line.starts_with(r#"{"client""#)), "{script} asked nothing:\n{shown}");
        server.signal("TERM");
        let ended = server.end();
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
    }
}

#[test]
fn google_adk() {
    shows_each_answer_once(&PYTHON, "tests/clients/adk_client.py");
}

#[test]
fn ag2() {
    shows_each_answer_once(&PYTHON, "tests/clients/ag2_client.py");
}

#[test]
fn microsoft_agent_framework() {
    shows_each_answer_once(&PYTHON, "tests/clients/agent_framework_client.py");
}

#[test]
fn agno() {
    shows_each_answer_once(&OLD_PYTHON, "tests/clients/agno_client.py");
}

#[test]
fn strands_agents() {
    shows_each_answer_once(&OLD_PYTHON, "tests/clients/strands_client.py");
}

#[test]
fn google_adk_of_javascript() {
    shows_each_answer_once(&NODE, "tests/clients/adk_client.mjs");
}

#[test]
fn strands_agents_of_javascript() {
    shows_each_answer_once(&NODE, "tests/clients/strands_client.mjs");
}

#[test]
fn vercel_ai_sdk() {
    shows_each_answer_once(&NODE, "tests/clients/ai_client.mjs");
}
