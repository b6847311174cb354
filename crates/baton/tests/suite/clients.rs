//! Unmodified public A2A clients show the agent's answer exactly once; the requests are in `tests/clients`. Clients
//! that take long to install run only in `make test-clients`.

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

/// Runs a client against a Baton with one agent, addressed by the root URL, and against one with several, addressed by
/// the URL that `baton up` prints.
fn shows_each_answer_once(interpreter: &Interpreter, script: &str) {
    let guide = format!("{}/../tests/agents/clients/guide", examples());
    let weather = format!("{}/weather", examples());
    for agents in [&[guide.as_str()][..], &[&guide, &weather]] {
        let home = Home::new();
        let (mut server, url) = home.up(&[agents, &["--port", "0", "--data", "data"]].concat());
        let line = await_line(&mut server.stderr, "guide ");
        let printed = line.split_whitespace().nth(1).expect("an address");
        let shown = interpreter.run_script(&[script, if agents.len() == 1 { &url } else { printed }]);
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

/// The table lists the versions that are pinned now.
#[test]
fn page_names_the_pinned_versions() {
    let read = |path: &str| std::fs::read_to_string(format!("{}/../{path}", examples())).expect(path);
    let page = read("docs/clients.md");
    let python = [
        ("google-adk", "requirements.txt"),
        ("ag2", "requirements.txt"),
        ("agent-framework-a2a", "requirements.txt"),
        ("agno", "requirements-0.3.txt"),
        ("strands-agents", "requirements-0.3.txt"),
        ("google-adk", "requirements-adk-1.txt"),
        ("ag2", "requirements-ag2-0.txt"),
        ("beeai-framework", "requirements-beeai.txt"),
        ("crewai", "requirements-crewai.txt"),
        ("litellm", "requirements-litellm.txt"),
    ];
    let pinned = python.map(|(package, file)| {
        let pins = read(&format!("tests/clients/{file}"));
        let pin = pins.lines().find_map(|line| line.strip_prefix(&format!("{package}=="))).map(str::to_owned);
        (package, pin.unwrap_or_else(|| panic!("no {package} in {file}")))
    });
    let manifest: serde_json::Value = serde_json::from_str(&read("tests/clients/package.json")).expect("JSON");
    let installed = ["@google/adk", "@strands-agents/sdk", "a2a-ai-provider"]
        .map(|package| (package, manifest["dependencies"][package].as_str().expect("a version").to_owned()));
    for (package, version) in pinned.into_iter().chain(installed) {
        let row = format!("| `{package}` | {version} |");
        assert!(page.contains(&row), "docs/clients.md has no row {row}: run `make test-clients`");
    }
}
