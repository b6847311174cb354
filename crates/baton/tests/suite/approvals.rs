//! `baton approvals`, and the output of `baton run` for calls that require approval.

mod chat;
mod list;
#[cfg(target_os = "linux")]
mod terminal;

use crate::binary::Home;

const TOOLS: &str = r#"settings: { control_tools: [ask_user] }
tools:
  - name: delete_file
    description: Deletes a file.
    command: ["sh", "-c", "cat >> deleted; echo gone"]
    permission: ask
    parameters: { type: object, properties: { path: { type: string } } }
"#;

const PLAYBOOK: &str = r#"rules:
  - when: { after_tool: delete_file, failed: true }
    say: "I may not: ${result}"
  - when: { after_tool: delete_file }
    say: "It is ${result}."
  - when: { after_tool: ask_user }
    say: "So ${result} it is."
  - when: { user: both }
    call:
      - { tool: delete_file, args: { path: "old.txt" } }
      - { tool: delete_file, args: { path: "older.txt" } }
  - when: { user: delete }
    call: [{ tool: delete_file, args: { path: "old.txt" } }]
  - when: { user: which }
    call: [{ tool: ask_user, args: { question: "Which one?" } }]
"#;

const BOSS: &str = r#"rules:
  - when: { after_tool: handoff }
    say: "They say: ${result./response}"
  - when: { turn: first }
    call: [{ tool: handoff, args: { agent_uri: files, message: "${user}" } }]
"#;

/// An agent with calls that require approval, and one that hands work off to it.
fn office() -> Home {
    let home = Home::new();
    home.agent("files", TOOLS, PLAYBOOK);
    home.agent("boss", "handoffs:\n  - agent: files\n    description: Files.\n", BOSS);
    home
}

/// The arguments of the executed calls.
fn deleted(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(home.path("files/deleted")).unwrap_or_default();
    text.split_inclusive('}').map(str::to_owned).collect()
}
