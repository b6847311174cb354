//! The example agents of the demo.

use crate::{
    binary::{CommandOutput, Home, RunningProcess, examples, get, request},
    foreign::Interpreter,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

pub(super) const QUESTION: &str = "What's the weather in Oakland?";

/// URL of the weather agent in the definition of the personal assistant.
const EXAMPLE_WEATHER_URL: &str = "http://localhost:10000";

/// The official clients of A2A and MCP in one environment.
pub(super) const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_TWO_AGENTS_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/two_agents/requirements.txt"],
};

/// The side that runs the tools of both agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolOwner {
    Agent,
    Caller,
}

impl ToolOwner {
    fn flag_value(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Caller => "caller",
        }
    }
}

/// Both agents, served.
pub(super) struct Team {
    pub(super) home: Home,
    servers: Vec<RunningProcess>,
    /// URL of the personal assistant.
    pub(super) personal: String,
    /// URL of the weather agent.
    pub(super) weather: String,
}

impl Team {
    /// Both agents in one process, as in the examples.
    pub(super) fn in_one_process(tools: ToolOwner) -> Self {
        let home = Home::new();
        let [personal, weather] = ["personal", "weather"].map(|name| format!("{}/{name}", examples()));
        let (server, url) =
            home.up(&[&personal, &weather, "--port", "0", "--data", "both", "--tools", tools.flag_value()]);
        let [personal, weather] = ["personal", "weather"].map(|name| format!("{url}/agents/{name}"));
        Self { home, servers: vec![server], personal, weather }
    }

    /// Each agent in its own process.
    pub(super) fn in_two_processes(tools: ToolOwner) -> Self {
        let home = Home::new();
        let weather = format!("{}/weather", examples());
        let (first, weather) =
            home.up(&[&weather, "--port", "0", "--data", "weather-data", "--tools", tools.flag_value()]);
        let (second, personal) = personal_at(&home, &localhost(&weather), tools);
        Self { home, servers: vec![first, second], personal, weather }
    }

    /// Asks the personal assistant by URL with `baton run`, including caller tools; returns the task.
    pub(super) fn ask(&self) -> Value {
        let weather = localhost(&self.weather);
        let asked =
            self.home.run(&["run", &self.personal, QUESTION, "--json", "--data", "asker", "--allow-peer", &weather]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        serde_json::from_str(&asked.stdout).unwrap_or_else(|error| panic!("{error}: {}", asked.shown()))
    }

    /// The same with the script and third-party clients; returns its output.
    pub(super) fn ask_by_script(&self, mode: &str) -> String {
        PYTHON.run_script(&["tests/python/two_agents/client.py", &self.personal, QUESTION, mode])
    }

    /// Stops all servers with SIGTERM.
    pub(super) fn end(self) {
        for server in self.servers {
            server.signal("TERM");
            let ended = server.end();
            assert_eq!(ended.code, Some(0), "{}", ended.shown());
        }
    }
}

/// The URL with `localhost` as the host.
pub(super) fn localhost(url: &str) -> String {
    url.replace("127.0.0.1", "localhost")
}

/// The personal assistant in its own process, with the weather agent at `weather`.
pub(super) fn personal_at(home: &Home, weather: &str, tools: ToolOwner) -> (RunningProcess, String) {
    let example = Path::new(&examples()).join("personal");
    for file in ["agent.yaml", "prompt.md", "playbook.yaml"] {
        let text = fs::read_to_string(example.join(file)).expect("an example");
        assert!(text.contains(EXAMPLE_WEATHER_URL), "{file} names {EXAMPLE_WEATHER_URL}");
        home.write(&format!("personal/{file}"), &text.replace(EXAMPLE_WEATHER_URL, weather));
    }
    home.up(&["personal", "--port", "0", "--data", "personal-data", "--tools", tools.flag_value()])
}

/// An agent that hands every message to `agent_uri` and reports the result.
pub(super) fn write_forwarding_agent(home: &Home, name: &str, yaml: &str, agent_uri: &str) {
    let playbook = format!(
        "rules:\n  - when: {{ after_tool: handoff, failed: true }}\n    say: \"{name} could not: ${{result}}\"\n  \
         - when: {{ after_tool: handoff }}\n    say: \"{name} heard: ${{result./response}}\"\n  \
         - when: {{ turn: first }}\n    call: [{{ tool: handoff, args: {{ agent_uri: \"{agent_uri}\", message: \"${{user}}\" }} }}]\n"
    );
    home.agent(name, yaml, &playbook);
}

/// Asks the server of a data directory; returns the command's output.
pub(super) fn run_question(home: &Home, agent: &str, data: &str) -> CommandOutput {
    home.run(&["run", agent, QUESTION, "--data", data, "-q"])
}

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

/// The server and the path of an agent's URL.
pub(super) fn parts_of(url: &str) -> (&str, &str) {
    url.find("/agents/").map_or((url, "/"), |slash| url.split_at(slash))
}

/// The messages of a task with their roles: text verbatim, calls and results by tool name.
pub(super) fn history_of(task: &Value) -> Vec<String> {
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
