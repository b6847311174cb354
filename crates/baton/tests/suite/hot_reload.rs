//! Changes of a definition while it is in use.

use crate::binary::{Home, await_line, request};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    thread,
};

const OLD: usize = 50;
const NEW: usize = 10;

/// After the gate, the model gets the prompt of the run's own definition.
const PLAYBOOK: &str = "rules:
  - { when: { after_tool: gate, failed: false, system: 'first edition' }, say: 'first' }
  - { when: { after_tool: gate, failed: false, system: 'second edition' }, say: 'second' }
  - { when: { turn: first }, call: [gate] }
";

/// A run reports its arrival at the gate and reads one byte from it to continue.
fn definition(rule: &str, edition: &str) -> String {
    format!(
        "name: busy
description: For a test.
settings: {{ orchestration: {{ prompt: 'This is the {edition} edition.' }} }}
rules:
  - {{ name: {rule}, text: 'The text of {rule}.', include: always }}
tools:
  - name: gate
    description: Waits to be let through.
    timeout: 10m
    command: [\"sh\", \"-c\", \"echo here > arrived; read -r _ < gate\"]
"
    )
}

/// Opens both ends, so that neither side blocks.
fn open(home: &Home, pipe: &str) -> File {
    OpenOptions::new().read(true).write(true).open(home.path(pipe)).expect("a pipe")
}

/// Writes a temporary file and renames it, as editors do.
fn save(home: &Home, file: &str, text: &str) {
    let beside = format!("{file}.new");
    home.write(&beside, text);
    fs::rename(home.path(&beside), home.path(file)).expect("replaced");
}

/// Runs a task to its end.
fn run(url: &str, id: &str) -> Value {
    let message = json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": "go"}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
    let reply = request(url, "POST", "/agents/busy", &[("Content-Type", "application/json")], &call.to_string());
    let mut body: Value = serde_json::from_str(&reply.body).expect("JSON");
    body["result"]["task"].take()
}

/// The definition digest of each task, and the rule in its model request.
fn pinned(url: &str, tasks: &[Value]) -> BTreeSet<(String, String)> {
    let of = |task: &Value| {
        let path = format!("/api/v1/tasks/{}/events", task["id"].as_str().expect("an id"));
        let events: Value = serde_json::from_str(&request(url, "GET", &path, &[], "").body).expect("JSON");
        let events = events["events"].as_array().expect("events").clone();
        let only = |kind: &str| {
            let mut found = events.iter().filter(|event| event["kind"] == format!("task.{kind}"));
            let (Some(one), None) = (found.next(), found.next()) else { panic!("not one {kind} in {events:?}") };
            one["body"][kind].clone()
        };
        let chosen = only("context_selected")["request"]["items"].clone();
        let rules = chosen.as_array().expect("items").iter().filter(|item| item["kind"] == "rule");
        let [rule] = rules.collect::<Vec<_>>().try_into().expect("one rule");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (text(&only("run_started")["agent"]), text(&rule["name"]))
    };
    tasks.iter().map(of).collect()
}

#[test]
fn changed_rule_applies_to_new_runs_and_not_to_running_ones() {
    let home = Home::new();
    home.agent("busy", "", PLAYBOOK);
    home.write("busy/agent.yaml", &definition("calm", "first"));
    for pipe in ["busy/arrived", "busy/gate"] {
        home.pipe(pipe);
    }
    let mut arrived = BufReader::new(open(&home, "busy/arrived")).lines();
    let mut gate = open(&home, "busy/gate");
    let (mut server, url) = home.up(&["busy", "--port", "0", "--log", "warn,baton_local=info"]);
    let start = |which: &str, count: usize| {
        let begin = |number| {
            let (url, id) = (url.clone(), format!("{which}-{number}"));
            thread::spawn(move || run(&url, &id))
        };
        (0..count).map(begin).collect::<Vec<_>>()
    };

    let old = start("old", OLD);
    assert_eq!(arrived.by_ref().take(OLD).filter_map(Result::ok).count(), OLD, "all runs are at the gate");
    save(&home, "busy/agent.yaml", &definition("lively", "second"));
    await_line(&mut server.stderr, "the definition has changed");
    let new = start("new", NEW);
    assert_eq!(arrived.by_ref().take(NEW).filter_map(Result::ok).count(), NEW);
    gate.write_all(&[b'\n'; OLD + NEW]).expect("the gate opens");

    let all = [(old, "first", "calm"), (new, "second", "lively")].map(|(runs, edition, rule)| {
        let tasks: Vec<Value> = runs.into_iter().map(|run| run.join().expect("it ends")).collect();
        for task in &tasks {
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
            assert_eq!(task["artifacts"][0]["parts"][0]["text"], edition, "{task}");
        }
        let [(digest, given)] = pinned(&url, &tasks).into_iter().collect::<Vec<_>>().try_into().expect("one for all");
        assert_eq!(given, rule);
        digest
    });
    assert_ne!(all[0], all[1]);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

/// The error is reported while requests are answered as before.
#[test]
fn broken_edit_keeps_the_last_good_version_and_is_reported() {
    let home = Home::new();
    let playbook = |words: &str| format!("rules: [{{ say: {words} }}]\n");
    home.agent("kept", "", &playbook("before"));
    let (mut server, _) = home.up(&["kept", "--port", "0", "--log", "warn,baton_local=info"]);
    let answer = || home.run(&["run", "kept", "hi", "-q"]).stdout;
    assert_eq!(answer(), "before\n");
    let good = fs::read_to_string(home.path("kept/agent.yaml")).expect("a definition");
    save(&home, "kept/agent.yaml", "name: [\n");
    let told = await_line(&mut server.stderr, "the entry is unusable; the previous version is still served");
    assert!(told.contains("kept/agent.yaml:1:7: error:"), "{told}");
    assert_eq!(answer(), "before\n");
    save(&home, "kept/playbook.yaml", &playbook("after"));
    save(&home, "kept/agent.yaml", &good);
    await_line(&mut server.stderr, "the definition has changed");
    assert_eq!(answer(), "after\n");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
