//! The example agents, where a test wants them.

use crate::{
    binary::{Ended, Home, Running, examples, get, request},
    foreign::Interpreter,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

pub(super) const QUESTION: &str = "What's the weather in Oakland?";

/// Where the definition of the personal assistant says that the weather agent is.
const WRITTEN: &str = "http://localhost:10000";

/// The official clients of A2A and MCP in one environment.
pub(super) const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_TWO_AGENTS_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/two_agents/requirements.txt"],
};

/// Who runs the tools of both agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tools {
    Agent,
    Caller,
}

impl Tools {
    fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Caller => "caller",
        }
    }
}

/// Both agents, served.
pub(super) struct Team {
    pub(super) home: Home,
    servers: Vec<Running>,
    /// Where the personal assistant is asked.
    pub(super) personal: String,
    /// Where the weather agent is asked.
    pub(super) weather: String,
}

impl Team {
    /// Both in one process, as the examples are.
    pub(super) fn together(tools: Tools) -> Self {
        let home = Home::new();
        let [personal, weather] = ["personal", "weather"].map(|name| format!("{}/{name}", examples()));
        let (server, url) = home.up(&[&personal, &weather, "--port", "0", "--data", "both", "--tools", tools.word()]);
        let [personal, weather] = ["personal", "weather"].map(|name| format!("{url}/agents/{name}"));
        Self { home, servers: vec![server], personal, weather }
    }

    /// Each in a process of its own.
    pub(super) fn apart(tools: Tools) -> Self {
        let home = Home::new();
        let weather = format!("{}/weather", examples());
        let (first, weather) = home.up(&[&weather, "--port", "0", "--data", "weather-data", "--tools", tools.word()]);
        let (second, personal) = personal_at(&home, &localhost(&weather), tools);
        Self { home, servers: vec![first, second], personal, weather }
    }

    /// Baton asks the personal assistant by its address and does what is left to it; gives the task.
    pub(super) fn ask(&self) -> Value {
        let weather = localhost(&self.weather);
        let asked =
            self.home.run(&["run", &self.personal, QUESTION, "--json", "--data", "asker", "--allow-peer", &weather]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        serde_json::from_str(&asked.stdout).unwrap_or_else(|error| panic!("{error}: {}", asked.shown()))
    }

    /// The script does the same with the clients of others; gives what it tells.
    pub(super) fn ask_by_script(&self, mode: &str) -> String {
        PYTHON.runs(&["tests/python/two_agents/client.py", &self.personal, QUESTION, mode])
    }

    /// Ends both as a person would.
    pub(super) fn end(self) {
        for server in self.servers {
            server.signal("TERM");
            let ended = server.end();
            assert_eq!(ended.code, Some(0), "{}", ended.shown());
        }
    }
}

/// The address by which people write it.
pub(super) fn localhost(url: &str) -> String {
    url.replace("127.0.0.1", "localhost")
}

/// The personal assistant in a process of its own; its definition says that the weather agent is at `weather`.
pub(super) fn personal_at(home: &Home, weather: &str, tools: Tools) -> (Running, String) {
    let example = Path::new(&examples()).join("personal");
    for file in ["agent.yaml", "prompt.md", "playbook.yaml"] {
        let text = fs::read_to_string(example.join(file)).expect("an example");
        assert!(text.contains(WRITTEN), "{file} names {WRITTEN}");
        home.write(&format!("personal/{file}"), &text.replace(WRITTEN, weather));
    }
    home.up(&["personal", "--port", "0", "--data", "personal-data", "--tools", tools.word()])
}

/// An agent that hands all that it hears to `agent_uri`, and tells what came of it.
pub(super) fn passes_on(home: &Home, name: &str, yaml: &str, agent_uri: &str) {
    let playbook = format!(
        "rules:\n  - when: {{ after_tool: handoff, failed: true }}\n    say: \"{name} could not: ${{result}}\"\n  \
         - when: {{ after_tool: handoff }}\n    say: \"{name} heard: ${{result./response}}\"\n  \
         - when: {{ turn: first }}\n    call: [{{ tool: handoff, args: {{ agent_uri: \"{agent_uri}\", message: \"${{user}}\" }} }}]\n"
    );
    home.agent(name, yaml, &playbook);
}

/// Asks through whoever serves the data directory; the answer as it is printed.
pub(super) fn asked(home: &Home, agent: &str, data: &str) -> Ended {
    home.run(&["run", agent, QUESTION, "--data", data, "-q"])
}

/// The body of a reply as JSON.
pub(super) fn json_at(url: &str, path: &str) -> Value {
    let reply = get(url, path);
    let (_, body) = reply.split_once("\r\n\r\n").unwrap_or(("", &reply));
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {reply}"))
}

/// The tasks of the agent at `url`, with their history.
pub(super) fn tasks_of(url: &str) -> Vec<Value> {
    let (server, path) = parts_of(url);
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {"historyLength": 50}});
    let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")];
    let reply = request(server, "POST", path, &headers, &asked.to_string());
    let reply: Value = serde_json::from_str(&reply.body).expect("JSON");
    reply["result"]["tasks"].as_array().unwrap_or_else(|| panic!("tasks: {reply}")).clone()
}

/// A server, and the path of an agent there.
pub(super) fn parts_of(url: &str) -> (&str, &str) {
    url.find("/agents/").map_or((url, "/"), |slash| url.split_at(slash))
}

/// What was said in a task, by whom: words as they are, calls and results by the names of their tools.
pub(super) fn story_of(task: &Value) -> Vec<String> {
    let history = task["history"].as_array().unwrap_or_else(|| panic!("a history: {task}"));
    history.iter().map(|message| format!("{}: {}", role_of(message), words_of(message).join(" "))).collect()
}

fn role_of(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default().trim_start_matches("ROLE_")
}

fn words_of(message: &Value) -> Vec<String> {
    let parts = message["parts"].as_array().cloned().unwrap_or_default();
    let mut words = Vec::new();
    for part in parts {
        words.extend(part["text"].as_str().filter(|text| !text.is_empty()).map(str::to_owned));
        for (key, kind) in [("tool_calls", "calls"), ("tool_results", "results of")] {
            let entries = part["data"][key].as_array().cloned().unwrap_or_default();
            words.extend(entries.iter().map(|entry| format!("{kind} {}", entry["name"].as_str().unwrap_or_default())));
        }
    }
    words
}
