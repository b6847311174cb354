//! `baton approvals list` and `answer`, with and without a server.

use super::{deleted, office};
use crate::binary::{CommandOutput, Home, filtered};
use serde_json::Value;

/// The pending approvals.
fn pending(home: &Home) -> Vec<Value> {
    let listed = home.run(&["approvals", "list", "--json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.shown());
    let list: Value = serde_json::from_str(&listed.stdout).expect("JSON");
    list["approvals"].as_array().expect("approvals").clone()
}

fn id(entry: &Value) -> &str {
    entry["id"].as_str().expect("an id")
}

#[test]
fn server_lists_and_answers_pending_approvals() {
    let home = office();
    let (_server, _) = home.up(&["--port", "0"]);
    let nothing = home.run(&["approvals", "list"]);
    let plain = home.run(&["run", "files", "delete it"]);
    let asked = home.run(&["run", "files", "which?"]);
    let handed = home.run(&["run", "boss", "delete both"]);
    assert_eq!([&plain, &asked, &handed].map(|ended| ended.code), [Some(3); 3]);
    let list = home.run(&["approvals", "list"]);
    let of_boss = home.run(&["approvals", "list", "--agent", "boss"]);
    let all = [nothing, plain, asked, handed, list, of_boss].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("approvals_wait", all));

    let entries = pending(&home);
    let [second, first, question, plain] = entries.as_slice() else { panic!("{entries:#?}") };
    let (first, second) = if id(first) < id(second) { (first, second) } else { (second, first) };
    let no_word = home.run(&["approvals", "answer", id(plain)]);
    let digest = home.run(&["approvals", "answer", id(plain), "allow", "--digest", "another"]);
    let words = home.run(&["approvals", "answer", id(question), "allow"]);
    let unknown = home.run(&["approvals", "answer", "nothing/call_1", "allow"]);
    assert_eq!(deleted(&home), [""; 0], "nothing ran");
    let denied = home.run(&["approvals", "answer", id(plain), "deny", "--wait"]);
    let again = home.run(&["approvals", "answer", id(plain), "allow"]);
    let answered = home.run(&["approvals", "answer", id(question), "--text", "this one", "--wait"]);
    assert_eq!(deleted(&home), [""; 0], "nothing ran");
    let one = home.run(&["approvals", "answer", id(first), "allow"]);
    let other = home.run(&["approvals", "answer", id(second), "always", "--wait"]);
    let left = home.run(&["approvals", "list"]);
    let all = [no_word, digest, words, unknown, denied, again, answered, one, other, left];
    filtered(|| insta::assert_snapshot!("approvals_answered", all.map(|ended| ended.shown()).join("\n")));
    let mut ran = deleted(&home);
    ran.sort();
    assert_eq!(ran, [r#"{"path":"old.txt"}"#, r#"{"path":"older.txt"}"#]);
}

/// Without a server, the answer is stored in the data directory and the command continues the task.
#[test]
fn without_a_server_the_command_continues_the_task() {
    let home = office();
    let asked = home.run(&["run", "boss", "delete it"]);
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let entries = pending(&home);
    assert_eq!(entries.len(), 1, "{entries:#?}");
    let answered = home.run(&["approvals", "answer", id(&entries[0]), "allow"]);
    let json = home.run(&["approvals", "answer", id(&entries[0]), "allow", "--json"]);
    assert_eq!((answered.code, json.code), (Some(0), Some(2)), "{}\n{}", answered.shown(), json.shown());
    assert!(json.stderr.contains("BTN-2022"), "{}", json.shown());
    assert_eq!(deleted(&home), [r#"{"path":"old.txt"}"#]);
    filtered(|| insta::assert_snapshot!("approval_alone", answered.shown()));
}

/// An answer that leaves another question open ends the command with that question; the last one is found by task id.
#[test]
fn one_answer_of_two_shows_the_other_question() {
    let home = office();
    let asked = home.run(&["run", "boss", "delete both"]);
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let entries = pending(&home);
    let root = entries[0]["root_task_id"].as_str().expect("a task");
    let several = home.run(&["approvals", "answer", root, "allow"]);
    let one = home.run(&["approvals", "answer", id(&entries[0]), "allow"]);
    let unfit = home.run(&["approvals", "answer", root, "--text", "please"]);
    let last = home.run(&["approvals", "answer", root, "deny"]);
    let none = home.run(&["approvals", "answer", root, "deny"]);
    let codes = [several.code, one.code, unfit.code, last.code, none.code];
    let shown = [&several, &one, &unfit, &last, &none].map(CommandOutput::shown).join("\n");
    assert_eq!(codes, [Some(2), Some(3), Some(2), Some(0), Some(2)], "{shown}");
    assert_eq!(deleted(&home), [r#"{"path":"old.txt"}"#]);
    filtered(|| insta::assert_snapshot!("approval_one_of_two", shown));
}

#[test]
fn session_settings_are_sent_with_the_message() {
    let home = office();
    let never = home.run(&["run", "files", "delete it", "--tool-permission", "never"]);
    assert_eq!((never.code, deleted(&home).len()), (Some(0), 1), "{}", never.shown());
    let always = home.run(&["run", "files", "delete it", "--tool-permission", "always", "--include", "delete_file"]);
    assert_eq!((always.code, deleted(&home).len()), (Some(3), 1), "{}", always.shown());
}
