//! A data directory of the previous release: its journal opens, its run resumes, and every task reads the same.
//!
//! `fixtures/schema-6` has the agent and the task lists of the previous release, taken before it was killed during a
//! run. Only the deadline of that run was moved, so that it does not expire.

use crate::binary::{Home, await_line, examples, last_text, request};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn fixture(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-6").join(file)
}

/// A home directory with the old journal and its agent.
fn old_home() -> Home {
    let home = Home::new();
    for file in ["agent.yaml", "prompt.md", "playbook.yaml"] {
        home.write(&format!("keeper/{file}"), &fs::read_to_string(fixture("keeper").join(file)).expect("a fixture"));
    }
    fs::create_dir(home.path(".baton")).expect("a directory");
    let journal = Path::new(env!("CARGO_MANIFEST_DIR")).join("../baton-journal/tests/fixtures/schema-6/journal.db");
    fs::copy(journal, home.path(".baton/journal.db")).expect("the old journal");
    home
}

fn call(url: &str, agent: &str, method: &str, params: &Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 9, "method": method, "params": params}).to_string();
    let headers = [("content-type", "application/json"), ("a2a-version", "1.0")];
    request(url, "POST", &format!("/agents/{agent}/"), &headers, &body).body
}

fn tasks(url: &str, agent: &str) -> Value {
    let list = call(url, agent, "ListTasks", &json!({"pageSize": 50, "includeArtifacts": true}));
    serde_json::from_str(&list).expect("JSON")
}

/// The task list of the previous release.
fn old_tasks(agent: &str) -> Value {
    let text = fs::read_to_string(fixture(&format!("{agent}-tasks.json"))).expect("a fixture");
    serde_json::from_str(&text).expect("JSON")
}

/// Removes the task of a context from a list and returns it.
fn take(list: &mut Value, context: &str) -> Value {
    let tasks = list["result"]["tasks"].as_array_mut().expect("tasks");
    let at = tasks.iter().position(|task| task["contextId"] == context).expect("the task");
    tasks.remove(at)
}

#[test]
fn old_run_resumes_and_old_tasks_read_the_same() {
    let home = old_home();
    let (weather, personal) = (format!("{}/weather", examples()), format!("{}/personal", examples()));
    // Kills during and after the journal migration; the next start completes a partial migration.
    for _ in 0..5 {
        let started = home.start(&["up", "keeper", &weather, &personal, "--port", "0"]);
        started.kill();
    }
    let (mut server, url) = home.up(&["keeper", &weather, &personal, "--port", "0"]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");

    let mut expected = old_tasks("keeper");
    let unfinished = take(&mut expected, "c-survive");
    assert_eq!(unfinished["status"]["state"], "TASK_STATE_WORKING");
    // The stream closes when the task ends; subscribing to an ended task is an error.
    call(&url, "keeper", "SubscribeToTask", &json!({"id": unfinished["id"]}));
    let mut found = tasks(&url, "keeper");
    let resumed = take(&mut found, "c-survive");
    assert_eq!(resumed["status"]["state"], "TASK_STATE_COMPLETED", "{resumed:#}");
    assert_eq!(last_text(&resumed), "survived");
    assert_eq!(found["result"]["tasks"], expected["result"]["tasks"]);
    assert_eq!(tasks(&url, "personal")["result"]["tasks"], old_tasks("personal")["result"]["tasks"]);

    let approvals = home.run(&["approvals", "list", "--json"]);
    let approvals: Value = serde_json::from_str(&approvals.stdout).expect("JSON");
    let id = approvals["approvals"][0]["id"].as_str().expect("a pending approval");
    let answered = home.run(&["approvals", "answer", id, "allow", "--wait"]);
    assert_eq!(answered.code, Some(0), "{}", answered.shown());
    assert_eq!(last_text(&take(&mut tasks(&url, "keeper"), "c-stamp")), "stamp: stamped");
    let sessions = home.run(&["sessions", "list", "--json"]);
    assert!(sessions.stdout.contains("First talk"), "{}", sessions.shown());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
