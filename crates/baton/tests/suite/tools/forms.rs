//! Lists and calls of an agent's own tools.

use crate::binary::{Home, filtered};

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

/// An agent with every kind of tool that a definition supports.
pub(super) fn host() -> Home {
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
