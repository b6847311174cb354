//! An approval through four agents in three processes, which are all killed before it is answered.

use crate::binary::{Home, RunningProcess, free_port, last_text, request};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, time::Duration};

/// Hands the message off to the next agent and repeats its response.
const PASSES: &str = "rules:
  - { when: { after_tool: handoff, failed: true }, say: \"It did not work: ${result}\" }
  - { when: { after_tool: handoff }, say: \"${result./response}\" }
  - { when: { turn: first }, call: [{ tool: handoff, args: { agent_uri: NEXT, message: \"${user}\" } }] }
";

/// A tool that requires approval and records each execution.
const LAST: &str = "tools:
  - name: pay
    description: Pays.
    permission: ask
    command: [\"sh\", \"-c\", \"echo paid >> paid.txt; wc -l < paid.txt | tr -d ' '\"]
";

const PAYS: &str = "rules:
  - { when: { after_tool: pay, failed: true }, say: \"Refused: ${result}\" }
  - { when: { after_tool: pay }, say: \"Paid ${result} time\" }
  - { when: { turn: first }, call: [{ tool: pay }] }
";

/// A server that restarts on the same port.
struct ChainServer {
    home: Home,
    running: Option<RunningProcess>,
    url: String,
}

impl ChainServer {
    fn start(home: Home, agents: &[&str]) -> Self {
        let (running, url) = home.up(&[agents, &["--port", &free_port()]].concat());
        Self { home, running: Some(running), url }
    }

    /// Kills and restarts the server.
    fn crash_and_restart(&mut self, agents: &[&str]) {
        self.running.take().expect("it runs").kill();
        let port = self.url.rsplit(':').next().expect("a port");
        let (running, url) = self.home.up(&[agents, &["--port", port]].concat());
        assert_eq!(url, self.url);
        self.running = Some(running);
    }

    fn call(&self, agent: &str, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")];
        let reply = request(&self.url, "POST", &format!("/agents/{agent}"), &headers, &body);
        serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {reply:?}"))
    }

    fn say(&self, agent: &str, message: &Value) -> Value {
        self.call(agent, "SendMessage", &json!({ "message": message }))["result"]["task"].clone()
    }

    /// The traces of all runs of this server, after a span with this name is stored.
    fn traces_after(&self, last: &str) -> Vec<String> {
        let search = |query: &str| {
            let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
            let reply = request(&self.url, "GET", &format!("/tempo/api/search?q={query}"), &[], "");
            let found: Value = serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {reply:?}"));
            let ids = found["traces"].as_array().into_iter().flatten().filter_map(|trace| trace["traceID"].as_str());
            ids.map(str::to_owned).collect::<Vec<_>>()
        };
        for _ in 0..200 {
            if !search(&format!("{{ name = \"{last}\" }}")).is_empty() {
                return search("{ name =~ \"invoke_agent.*\" }");
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        panic!("{last} has no span");
    }

    fn task(&self, agent: &str, id: &str) -> Value {
        self.call(agent, "GetTask", &json!({ "id": id }))["result"].clone()
    }
}

fn text(task: &Value) -> String {
    last_text(task).to_owned()
}

fn chain() -> [ChainServer; 3] {
    let third = Home::new();
    third.agent("d", LAST, PAYS);
    let third = ChainServer::start(third, &["d"]);
    let second = Home::new();
    second.agent("b", "handoffs: [{ agent: c }]\n", &PASSES.replace("NEXT", "c"));
    second.agent("c", "handoffs: [{ agent: d }]\n", &PASSES.replace("NEXT", "d"));
    second.write("baton.yaml", &format!("peers:\n  - {{ name: d, url: {}/agents/d }}\n", third.url));
    let second = ChainServer::start(second, &["b", "c"]);
    let first = Home::new();
    first.agent("a", "handoffs: [{ agent: b }]\n", &PASSES.replace("NEXT", "b"));
    first.write("baton.yaml", &format!("peers:\n  - {{ name: b, url: {}/agents/b }}\n", second.url));
    let first = ChainServer::start(first, &["a"]);
    [first, second, third]
}

#[test]
fn approval_across_four_agents_survives_crashes_and_runs_the_call_once() {
    for (decision, said, paid) in [("allow_once", "Paid 1 time", true), ("deny", "Refused: BTN-3012", false)] {
        let [mut first, mut second, mut third] = chain();
        let asked = first.say("a", &json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Pay, please"}]}));
        assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked}");
        assert!(text(&asked).contains("May the tool 'pay' run?"), "{}", text(&asked));
        let parts = asked["status"]["message"]["parts"].as_array().expect("parts");
        let requests: Vec<&Value> =
            parts.iter().filter_map(|part| part["data"]["input_requests"].as_array()).flatten().collect();
        let [open] = requests.as_slice() else { panic!("one call is pending: {parts:?}") };
        assert_eq!((&open["agent"], &open["tool"]), (&json!("d"), &json!("pay")));

        first.crash_and_restart(&["a"]);
        second.crash_and_restart(&["b", "c"]);
        third.crash_and_restart(&["d"]);

        let id = asked["id"].as_str().expect("an id");
        let response = json!({
            "task_id": open["task_id"], "call_id": open["call_id"], "digest": open["digest"], "decision": decision
        });
        let answer = json!({"messageId": "a", "taskId": id, "role": "ROLE_USER",
            "parts": [{"data": {"input_responses": [response]}}]});
        let mut task = first.say("a", &answer);
        for _ in 0..200 {
            if task["status"]["state"] == "TASK_STATE_COMPLETED" {
                break;
            }
            std::thread::park_timeout(Duration::from_millis(50));
            task = first.task("a", id);
        }
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
        assert!(text(&task).contains(said), "{}", text(&task));
        let ended = [(&first, "handoff.request"), (&second, "handoff.request"), (&third, "execute_tool pay")];
        let traces: BTreeSet<String> = ended.iter().flat_map(|(place, last)| place.traces_after(last)).collect();
        assert_eq!(traces.len(), 1, "one trace across all processes, crashes and answers: {traces:?}");
        let ran = fs::read_to_string(third.home.path("d/paid.txt")).unwrap_or_default();
        assert_eq!(ran, if paid { "paid\n" } else { "" }, "the call runs at most once");

        let again = first.call(
            "a",
            "SendMessage",
            &json!({ "message": {"messageId": "b", "taskId": id,
            "role": "ROLE_USER", "parts": [{"data": {"input_responses": [response]}}]}}),
        );
        assert!(again["error"].is_object(), "an approval is answered only once: {again}");
    }
}
