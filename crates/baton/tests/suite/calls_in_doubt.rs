//! Calls in doubt: a tool call with unknown effects that a crash interrupts is not repeated without a decision.

use crate::binary::{Home, Reply, RunningProcess, free_port, request};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
};

const PLAYBOOK: &str = "rules:
  - { when: { after_tool: pay }, say: \"Told: ${result}\" }
  - { when: { turn: first }, call: [{ tool: pay }] }
";

/// `pay` records the id of each call; the first execution reports its start and hangs.
const TOOLS: &str = "tools:
  - name: pay
    description: Pays.
    command: [\"sh\", \"-c\", \"echo $BATON_CALL_ID >> paid.txt; if [ -e hung ]; then echo again; else touch hung; echo here > ready; cat gate; fi\"]
";

/// A Baton with a tool that hangs on its first execution while `_gate` is open.
struct PayerAgent {
    home: Home,
    port: String,
    _gate: File,
}

impl PayerAgent {
    fn new() -> Self {
        let home = Home::new();
        home.agent("payer", TOOLS, PLAYBOOK);
        home.pipe("payer/ready");
        home.pipe("payer/gate");
        let gate = OpenOptions::new().read(true).write(true).open(home.path("payer/gate")).expect("a pipe");
        Self { home, port: free_port(), _gate: gate }
    }

    fn up(&self) -> RunningProcess {
        self.home.up(&["--port", &self.port]).0
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/agents/payer", self.port)
    }

    fn await_hang(&self) {
        assert_eq!(fs::read_to_string(self.home.path("payer/ready")).expect("a pipe"), "here\n");
    }

    fn paid(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path("payer/paid.txt")).expect("it ran");
        text.lines().map(str::to_owned).collect()
    }

    /// Kills the server while the tool runs, and starts another.
    fn crash_in_the_tool(&self, server: RunningProcess) -> RunningProcess {
        self.await_hang();
        server.kill();
        self.up()
    }
}

fn task_in(words: &str) -> &str {
    words.split_whitespace().skip_while(|word| *word != "task").nth(1).expect("its id")
}

#[test]
fn call_in_doubt_runs_again_only_after_the_caller_decides() {
    let payer = PayerAgent::new();
    let server = payer.up();
    let asking = payer.home.start(&["run", &payer.url(), "go"]);
    let _server = payer.crash_in_the_tool(server);
    let asked = asking.end();
    assert_eq!(asked.code, Some(3), "the task asks a question: {}", asked.shown());
    assert!(asked.shown().contains("BTN-3004: the tool 'pay'"), "{}", asked.shown());
    assert_eq!(payer.paid().len(), 1, "the call did not run again");
    let task = task_in(&asked.stderr).to_owned();
    let unfit = payer.home.run(&["run", &payer.url(), "go on", "--task", &task, "-q"]);
    assert!(unfit.shown().contains("run_again"), "{}", unfit.shown());
    let again = payer.home.run(&["run", &payer.url(), "run_again", "--task", &task, "-q"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "Told: again\n"), "{}", again.shown());
    let paid = payer.paid();
    assert!(paid.len() == 2 && paid[0] == paid[1], "the same call ran again on request: {paid:?}");
}

#[test]
fn another_baton_relays_the_question_and_the_answer() {
    let payer = PayerAgent::new();
    let server = payer.up();
    let near = Home::new();
    near.agent("one", "", "rules: [{ say: hello }]\n");
    let (_near, _) = near.up(&["--port", "0"]);
    let added = near.run(&["agents", "add", &payer.url(), "--name", "payer"]);
    assert_eq!(added.code, Some(0), "{}", added.shown());
    let asking = near.start(&["run", "payer", "go"]);
    let _server = payer.crash_in_the_tool(server);
    let asked = asking.end();
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    assert!(asked.shown().contains("BTN-3004: the tool 'pay'"), "{}", asked.shown());
    let waiting = near.run(&["approvals", "list", "--json"]);
    assert!(waiting.stdout.contains("run_again"), "it is a pending approval: {}", waiting.shown());
    let task = task_in(&asked.stderr).to_owned();
    let answered = near.run(&["run", "payer", "fail", "--task", &task, "-q"]);
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.contains("it is unknown whether it took effect"), "{}", answered.shown());
    assert_eq!(payer.paid().len(), 1, "it ran once");
}

/// Calls `pay` in the agent's Environment.
fn call_pay(payer: &PayerAgent, of: &[(&str, &str)]) -> Reply {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for (name, value) in of {
        meta[*name] = json!(value);
    }
    let params = json!({"name": "pay", "arguments": {}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "pay"),
    ];
    let base = format!("http://127.0.0.1:{}", payer.port);
    request(&base, "POST", "/agents/payer/mcp", &headers, &body)
}

#[test]
fn environment_rejects_a_call_in_doubt_and_never_reuses_call_ids() {
    let payer = PayerAgent::new();
    let server = payer.up();
    let asking = payer.home.start(&["run", "payer", "go"]);
    let server = payer.crash_in_the_tool(server);
    let asked = asking.end();
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let task = task_in(&asked.stderr).to_owned();
    let in_doubt = payer.paid().remove(0);
    let named = [("dev.baton/taskId", task.as_str()), ("dev.baton/callId", in_doubt.as_str())];
    let refused = call_pay(&payer, &named);
    assert!(refused.body.contains("BTN-3021"), "{}", refused.body);
    assert_eq!(payer.paid().len(), 1, "it did not run");
    // Calls outside of tasks have unique ids, also after a restart.
    let done: Value = serde_json::from_str(&call_pay(&payer, &[]).body).expect("JSON");
    assert_eq!(done["result"]["content"][0]["text"], "again", "{done}");
    call_pay(&payer, &[]);
    server.kill();
    let _server = payer.up();
    call_pay(&payer, &[]);
    let paid = payer.paid();
    let ids: BTreeSet<&String> = paid.iter().collect();
    assert_eq!((paid.len(), ids.len()), (4, 4), "{paid:?}");
}
