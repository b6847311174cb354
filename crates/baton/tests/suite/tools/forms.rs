//! Lists and calls of an agent's own tools.

use crate::binary::{Home, filtered};
use std::{
    io::Write as _,
    process::{Command, Stdio},
};

const TOOLS: &str = r#"tools:
  - name: book
    description: Books a table.
    command: ["sh", "-c", "cat"]
    effects: read_only
    parameters:
      type: object
      properties:
        day: { type: string, enum: [monday, tuesday], description: "When to come." }
        people: { type: integer, minimum: 1, maximum: 8, description: "How many." }
        outside: { type: boolean, default: false, description: "Whether to sit outside." }
        wishes: { type: array, items: { type: string } }
      required: [day, people]
  - name: break
    description: Breaks.
    command: ["sh", "-c", "echo it is broken >&2; exit 3"]
  - name: look
    description: Looks at a page.
    http: { url: "http://127.0.0.1:9/{page}" }
    parameters: { type: object, properties: { page: { type: string } }, required: [page] }
  - name: risky
    description: Does something that somebody should know about.
    command: ["echo", "done"]
    permission: ask
"#;

fn host() -> Home {
    let home = Home::new();
    home.agent("host", TOOLS, "rules: [{ say: hello }]\n");
    home
}

#[test]
fn lists_and_calls() {
    let home = host();
    let all: Vec<String> = [
        &["tools", "list", "host"][..],
        &["tools", "list", "nobody"],
        &["tools", "call", "host", "book", "--arg", "day=Monday", "--arg", "people=2", "--arg", "wishes=window, quiet"],
        &[
            "tools",
            "call",
            "host",
            "book",
            "--json-args",
            r#"{"day":"monday","people":2}"#,
            "--arg",
            "people=3",
            "--json",
        ],
        &["tools", "call", "host", "book", "--arg", "day=monday"],
        &["tools", "call", "host", "book", "--arg", "day=monday", "--json"],
        &["tools", "call", "host", "book", "--arg", "day=friday"],
        &["tools", "call", "host", "book", "--arg", "people=9"],
        &["tools", "call", "host", "book", "--arg", "who=me"],
        &["tools", "call", "host", "book", "--arg", "day"],
        &["tools", "call", "host", "book", "--json-args", "[1]"],
        &["tools", "call", "host", "nothing"],
        &["tools", "call", "host", "break"],
        &["tools", "call", "host", "risky"],
        &["tools", "call", "host", "risky", "--json"],
        &["tools", "call", "host", "risky", "--yes"],
    ]
    .into_iter()
    .map(|command| format!("$ baton {}\n{}", command.join(" "), home.run(command).shown()))
    .collect();
    filtered(|| insta::assert_snapshot!("tools", all.join("\n")));
    let json = home.run(&["tools", "list", "host", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let sources: Vec<_> = list["tools"].as_array().expect("tools").iter().map(|tool| tool["source"].clone()).collect();
    assert_eq!(sources, ["command", "command", "http", "command"], "{list:#}");
}

/// Runs a command at a terminal, where somebody types these lines; gives what the terminal shows.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a terminal for the program under test")]
pub(super) fn typed(home: &Home, line: &str, typed: &str) -> (Option<i32>, String) {
    let mut command = Command::new("script");
    let whole = format!("{} {line}", env!("CARGO_BIN_EXE_baton"));
    command.args(["-qec", &whole, "/dev/null"]).current_dir(home.path("")).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("NO_COLOR", "1").env("TERM", "dumb");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script is installed");
    child.stdin.as_mut().expect("piped").write_all(typed.as_bytes()).expect("typed");
    let output = child.wait_with_output().expect("it ends");
    let shown = String::from_utf8(output.stdout).expect("UTF-8").replace('\r', "");
    (output.status.code(), shown)
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_missing_is_asked_for_at_a_terminal() {
    let home = host();
    let (code, shown) = typed(&home, "tools call host book --arg outside=yes", "friday\ntuesday\nmany\n4\n");
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
    let (code, shown) = typed(&home, "tools call host risky", "maybe\nyes\n");
    assert_eq!((code, shown.contains("Allow it?"), shown.contains("done")), (Some(0), true, true), "{shown}");
    let (code, shown) = typed(&home, "tools call host risky", "no\n");
    assert_eq!((code, shown.contains("BTN-3012") || shown.contains("denied")), (Some(1), true), "{shown}");
}
