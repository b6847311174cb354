//! Interactive input at a terminal.

use super::{forms::host, questions::asking_agent};
use crate::binary::Home;
use std::{
    io::Write as _,
    process::{Command, Stdio},
};

/// Runs a command at a pseudo terminal with these input lines; returns its exit code and output.
#[expect(clippy::disallowed_methods, reason = "a terminal for the program under test")]
pub(crate) fn run_at_terminal(home: &Home, line: &str, input: &str) -> (Option<i32>, String) {
    let mut command = Command::new("script");
    let whole = format!("{} {line}", env!("CARGO_BIN_EXE_baton"));
    command.args(["-qec", &whole, "/dev/null"]).current_dir(home.path("")).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("NO_COLOR", "1").env("TERM", "dumb");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script is installed");
    child.stdin.as_mut().expect("piped").write_all(input.as_bytes()).expect("typed");
    let output = child.wait_with_output().expect("it ends");
    let shown = String::from_utf8(output.stdout).expect("UTF-8").replace('\r', "");
    (output.status.code(), shown)
}

#[test]
fn missing_arguments_are_prompted_for_at_a_terminal() {
    let home = host();
    let (code, shown) = run_at_terminal(&home, "tools call host book --arg outside=yes", "friday\ntuesday\nmany\n4\n");
    assert_eq!(code, Some(0), "{shown}");
    for said in [
        "day (monday | tuesday): When to come.",
        "it must be one of: monday, tuesday",
        "people (whole number 1 to 8): How many.",
        "it must be a whole number",
        r#"{"day":"tuesday","outside":true,"people":4}"#,
    ] {
        assert!(shown.contains(said), "{said:?} is not in:\n{shown}");
    }
    let (code, shown) = run_at_terminal(&home, "tools call host risky", "maybe\nyes\n");
    assert_eq!((code, shown.contains("Allow it?"), shown.contains("done")), (Some(0), true, true), "{shown}");
    let (code, shown) = run_at_terminal(&home, "tools call host risky", "no\n");
    assert_eq!((code, shown.contains("BTN-3012") || shown.contains("denied")), (Some(1), true), "{shown}");
}

#[test]
fn run_prompts_at_a_terminal() {
    let home = asking_agent("ask");
    let (_server, _) = home.up(&["--port", "0"]);
    let typed = run_at_terminal(&home, "run asker 'the form'", "yes\nAda\nmany\n36\n\n\nno\n");
    assert_eq!(typed.0, Some(0), "{}", typed.1);
    for said in [
        "Allow it?",
        "name (text [John Doe])",
        "it must be a whole number",
        "status (active | inactive | pending",
        "It said",
    ] {
        assert!(typed.1.contains(said), "{said:?} is not in:\n{}", typed.1);
    }
}
