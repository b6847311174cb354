//! Approvals at a terminal.

use super::{deleted, office};
use crate::tools::run_at_terminal;

#[test]
fn a_run_asks_for_each_call_and_answers_them_together() {
    let home = office();
    let (_server, _) = home.up(&["--port", "0"]);
    let (code, shown) = run_at_terminal(&home, "run boss 'delete both'", "perhaps\ny\nn\n");
    assert_eq!(code, Some(0), "{shown}");
    for said in [
        "1 of 2:",
        "2 of 2:",
        "asked by files",
        r#"with {"path":"old.txt"}"#,
        r#"with {"path":"older.txt"}"#,
        "Allow it? [y: once, a: always in this session, n: no]",
        "They say:",
    ] {
        assert!(shown.contains(said), "{said:?} is not in:\n{shown}");
    }
    assert_eq!(deleted(&home), [r#"{"path":"old.txt"}"#]);
}

/// An approval for the session is valid for the rest of the conversation.
#[test]
fn session_approval_is_asked_once() {
    let home = office();
    let (_server, _) = home.up(&["--port", "0"]);
    let (code, shown) = run_at_terminal(&home, "run files 'delete it' --context talk", "a\n");
    assert_eq!(code, Some(0), "{shown}");
    let again = home.run(&["run", "files", "delete it", "--context", "talk"]);
    assert_eq!((again.code, deleted(&home).len()), (Some(0), 2), "{}", again.shown());
    let elsewhere = home.run(&["run", "files", "delete it"]);
    assert_eq!((elsewhere.code, deleted(&home).len()), (Some(3), 2), "{}", elsewhere.shown());
}

#[test]
fn an_approval_is_decided_at_a_terminal() {
    let home = office();
    let (_server, _) = home.up(&["--port", "0"]);
    let asked = home.run(&["run", "files", "delete it"]);
    let command = asked.stderr.lines().find_map(|line| line.trim().strip_prefix("baton approvals answer "));
    let id = command.and_then(|rest| rest.split(' ').next()).expect("an id");
    let (code, shown) = run_at_terminal(&home, &format!("approvals answer {id} --wait"), "a\n");
    assert_eq!(code, Some(0), "{shown}");
    for said in ["files wants to call delete_file", "allowed for this session", "It is gone"] {
        assert!(shown.contains(said), "{said:?} is not in:\n{shown}");
    }
    assert_eq!(deleted(&home).len(), 1);
}
