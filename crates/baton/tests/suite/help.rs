//! Help texts, and errors for wrong usage.

use crate::binary::{Home, filtered};

#[test]
fn every_command_explains_itself() {
    let home = Home::new();
    let mut all = String::new();
    for command in [
        &["--help"][..],
        &["demo", "--help"],
        &["up", "--help"],
        &["run", "--help"],
        &["new", "--help"],
        &["convert", "--help"],
        &["agents", "--help"],
        &["agents", "add", "--help"],
        &["agents", "show", "--help"],
        &["agents", "remove", "--help"],
        &["agents", "create", "--help"],
        &["agents", "delete", "--help"],
        &["agents", "rules", "--help"],
        &["agents", "references", "--help"],
        &["tools", "--help"],
        &["tools", "list", "--help"],
        &["tools", "call", "--help"],
        &["tools", "approve", "--help"],
        &["tools", "login", "--help"],
        &["approvals", "--help"],
        &["approvals", "list", "--help"],
        &["approvals", "answer", "--help"],
        &["sessions", "--help"],
        &["sessions", "list", "--help"],
        &["sessions", "show", "--help"],
        &["sessions", "rename", "--help"],
        &["sessions", "fork", "--help"],
        &["sessions", "export", "--help"],
        &["sessions", "import", "--help"],
        &["sessions", "delete", "--help"],
        &["sessions", "set", "--help"],
        &["sessions", "reset", "--help"],
        &["sessions", "save", "--help"],
        &["trace", "--help"],
        &["trace", "query", "--help"],
        &["trace", "queries", "--help"],
        &["trace", "show", "--help"],
        &["trace", "diff", "--help"],
        &["trace", "tail", "--help"],
        &["costs", "--help"],
        &["dashboards", "--help"],
        &["dashboards", "export", "--help"],
        &["doctor", "--help"],
        &["mcp", "--help"],
        &["models", "--help"],
        &["models", "check", "--help"],
        &["openapi", "--help"],
        &["token", "--help"],
        &["token", "create", "--help"],
        &["token", "list", "--help"],
        &["token", "revoke", "--help"],
    ] {
        let ended = home.run(command);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        all.push_str(&format!("$ baton {}\n{}\n", command.join(" "), ended.stdout));
    }
    filtered(|| insta::assert_snapshot!("help", all));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let home = Home::new();
    let all: Vec<String> = [
        &["fly"][..],
        &["run", "weather"],
        &["up", "--port", "99999"],
        &["up", "--host", "0.0.0.0"],
        &["up", "--log", "a=b=c"],
        &["up", "--cors-origin", "app.example.com"],
        &["token", "create", "ci", "--expires", "soon"],
        &["agents", "add", "http://127.0.0.1:1", "--bearer", "hunter2"],
        &["mcp", "--exported"],
        &["mcp", "file:///a%2"],
        &["mcp", "agents", "--server", "http://127.0.0.1:1"],
        &["tools", "list", "weather", "--wait", "soon"],
        &["tools", "login", "weather"],
    ]
    .into_iter()
    .map(|command| {
        let ended = home.run(command);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
        format!("$ baton {}\n{}", command.join(" "), ended.stderr)
    })
    .collect();
    filtered(|| insta::assert_snapshot!("wrong_usage", all.join("\n")));
}
