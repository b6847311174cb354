//! A tool of unknown effects that a crash cut off runs once, whoever asked for the work.

use crate::binary::{Home, Reply, Running, own_port, request};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
};

const PLAYBOOK: &str = "rules:
  - { when: { after_tool: pay }, say: \"Told: ${result}\" }
  - { when: { turn: first }, call: [{ tool: pay }] }
";

/// `pay` writes down for which call it ran; the first time it says that it is there and hangs.
const TOOLS: &str = "tools:
  - name: pay
    description: Pays.
    command: [\"sh\", \"-c\", \"echo $BATON_CALL_ID >> paid.txt; if [ -e hung ]; then echo again; else touch hung; echo here > ready; cat gate; fi\"]
";

/// A Baton on a port of its own whose tool hangs once, for as long as the gate lives.
struct Payer {
    home: Home,
    port: String,
    _gate: File,
}

impl Payer {
    fn new() -> Self {
        let home = Home::new();
        home.agent("payer", TOOLS, PLAYBOOK);
        home.pipe("payer/ready");
        home.pipe("payer/gate");
        let gate = OpenOptions::new().read(true).write(true).open(home.path("payer/gate")).expect("a pipe");
        Self { home, port: own_port(), _gate: gate }
    }

    fn up(&self) -> Running {
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

    /// Kills the server in the middle of the tool, and starts another.
    fn die_in_the_tool(&self, server: Running) -> Running {
        self.await_hang();
        server.kill();
        self.up()
    }
}

fn task_in(words: &str) -> &str {
    words.split_whitespace().skip_while(|word| *word != "task").nth(1).expect("its id")
}

#[test]
fn a_caller_is_asked_about_a_call_in_doubt_and_never_runs_it() {
    let payer = Payer::new();
    let server = payer.up();
    let asking = payer.home.start(&["run", &payer.url(), "go"]);
    let _server = payer.die_in_the_tool(server);
    let asked = asking.end();
    assert_eq!(asked.code, Some(3), "it is a question: {}", asked.shown());
    assert!(asked.shown().contains("BTN-3004: the tool 'pay'"), "{}", asked.shown());
    assert_eq!(payer.paid().len(), 1, "nobody ran it again");
    let task = task_in(&asked.stderr).to_owned();
    let unfit = payer.home.run(&["run", &payer.url(), "go on", "--task", &task, "-q"]);
    assert!(unfit.shown().contains("run_again"), "{}", unfit.shown());
    let again = payer.home.run(&["run", &payer.url(), "run_again", "--task", &task, "-q"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "Told: again\n"), "{}", again.shown());
    let paid = payer.paid();
    assert!(paid.len() == 2 && paid[0] == paid[1], "the same call ran again, because somebody said so: {paid:?}");
}

#[test]
fn another_baton_passes_the_question_up_and_the_answer_down() {
    let payer = Payer::new();
    let server = payer.up();
    let near = Home::new();
    near.agent("one", "", "rules: [{ say: hello }]\n");
    let (_near, _) = near.up(&["--port", "0"]);
    let added = near.run(&["agents", "add", &payer.url(), "--name", "payer"]);
    assert_eq!(added.code, Some(0), "{}", added.shown());
    let asking = near.start(&["run", "payer", "go"]);
    let _server = payer.die_in_the_tool(server);
    let asked = asking.end();
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    assert!(asked.shown().contains("BTN-3004: the tool 'pay'"), "{}", asked.shown());
    let waiting = near.run(&["approvals", "list", "--json"]);
    assert!(waiting.stdout.contains("run_again"), "it is among what waits for an answer: {}", waiting.shown());
    let task = task_in(&asked.stderr).to_owned();
    let answered = near.run(&["run", "payer", "fail", "--task", &task, "-q"]);
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert!(answered.stdout.contains("it is unknown whether it took effect"), "{}", answered.shown());
    assert_eq!(payer.paid().len(), 1, "it ran once");
}

/// Calls `pay` in the agent's Environment.
fn call_pay(payer: &Payer, of: &[(&str, &str)]) -> Reply {
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
fn an_environment_refuses_a_call_in_doubt_and_never_gives_a_call_id_twice() {
    let payer = Payer::new();
    let server = payer.up();
    let asking = payer.home.start(&["run", "payer", "go"]);
    let server = payer.die_in_the_tool(server);
    let asked = asking.end();
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let task = task_in(&asked.stderr).to_owned();
    let in_doubt = payer.paid().remove(0);
    let named = [("dev.baton/taskId", task.as_str()), ("dev.baton/callId", in_doubt.as_str())];
    let refused = call_pay(&payer, &named);
    assert!(refused.body.contains("BTN-3021"), "{}", refused.body);
    assert_eq!(payer.paid().len(), 1, "it did not run");
    // Calls that are part of no task: each has an id of its own, after a restart as well.
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
