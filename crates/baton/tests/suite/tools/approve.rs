//! `baton tools approve`: permissions that are saved in definitions and apply to the next call.

use crate::{
    binary::{CommandOutput, Home, filtered},
    mcp::fixture,
};
use serde_json::json;
use std::fs;

const SIMPLE: &str = "fs__test_simple_text";
const OWN: &str = "tools:\n- name: wipe # careful\n  description: Wipes.\n  command: [echo, wiped]\n";

/// An agent with a server in `mcp.json` and a tool of its own.
fn home() -> Home {
    let home = Home::new();
    home.agent("helper", OWN, "rules: [{ say: \"Hello.\" }]\n");
    let server = json!({"command": fixture()}).to_string();
    home.write("helper/mcp.json", &format!("{{\n  // Ours.\n  \"mcpServers\": {{\n    \"fs\": {server}\n  }}\n}}\n"));
    home
}

fn servers(home: &Home) -> String {
    let text = fs::read_to_string(home.path("helper/mcp.json")).expect("read");
    text.replace(&json!(fixture()).to_string(), "\"mcp-fs\"")
}

fn call_exit_code(home: &Home, tool: &str) -> Option<i32> {
    home.run(&["tools", "call", "helper", tool]).code
}

fn approve(home: &Home, args: &[&str]) -> CommandOutput {
    home.run(&[&["tools", "approve", "helper"], args].concat())
}

/// Each `approve` command with its output, and the result of a call after it.
fn permission_transcript(home: &Home) -> String {
    let mut transcript = String::new();
    let mut add_line = |line: &str| {
        transcript.push_str(line);
        transcript.push('\n');
    };
    add_line(&format!("call: {:?}", call_exit_code(home, SIMPLE)));
    for (args, tool) in [
        (&[SIMPLE][..], SIMPLE),
        (&[SIMPLE], SIMPLE),
        (&[SIMPLE, "--deny"], SIMPLE),
        // A denied tool is not listed, but can still be named.
        (&[SIMPLE, "--ask"], SIMPLE),
        (&[SIMPLE, "--disable"], SIMPLE),
        (&[SIMPLE, "--enable"], SIMPLE),
        (&["fs__*"], "fs__test_image_content"),
        (&["fs", "--disable"], "fs__test_image_content"),
        (&["fs", "--enable", "--ask"], "fs__test_image_content"),
        (&["wipe"], "wipe"),
        (&["wipe", "--ask"], "wipe"),
        (&["wipe", "--deny"], "wipe"),
        (&["wipe", "--disable"], "wipe"),
    ] {
        add_line(&format!("\n$ baton tools approve helper {}", args.join(" ")));
        add_line(approve(home, args).shown().trim_end());
        add_line(&format!("call of {tool}: {:?}", call_exit_code(home, tool)));
    }
    add_line(&format!("\n{}", servers(home)));
    add_line(&fs::read_to_string(home.path("helper/agent.yaml")).expect("read"));
    transcript
}

#[test]
fn permissions_are_saved_and_applied_without_a_server() {
    let home = home();
    filtered(|| insta::assert_snapshot!("words", permission_transcript(&home)));
}

#[test]
fn teamspark_10_permission_changes_apply_at_once_on_a_running_server() {
    let home = home();
    let (server, _) = home.up(&["--port", "0"]);
    filtered(|| insta::assert_snapshot!("words", permission_transcript(&home)));
    let made = home.run(&["token", "create", "reader", "--scope", "read", "--scope", "call"]);
    let token = made.stdout.trim();
    let before = servers(&home);
    drop(server);
    let (server, _) = home.up(&["--port", "0", "--auth"]);
    let refused = approve(&home, &[SIMPLE, "--token", token]);
    assert_eq!(refused.code, Some(2), "{}", refused.shown());
    assert!(refused.stderr.contains("BTN-1011") && refused.stderr.contains("admin"), "{}", refused.shown());
    assert_eq!(servers(&home), before);
    drop(server);
}

#[test]
fn unknown_tool_is_rejected_with_the_known_ones() {
    let home = home();
    let unknown = approve(&home, &["fs__test_simple"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.shown());
    let said = &unknown.stderr;
    assert!(
        said.contains("BTN-2020") && said.contains("did you mean fs__test_sampling, fs__test_simple_text?"),
        "{said}"
    );
    assert!(said.contains("servers: fs\n  tools: wipe, fs__"), "{said}");
    let neither = approve(&home, &[SIMPLE, "--ask", "--deny"]);
    assert_eq!(neither.code, Some(2), "{}", neither.shown());
    let mut file = fs::metadata(home.path("helper/mcp.json")).expect("there").permissions();
    file.set_readonly(true);
    fs::set_permissions(home.path("helper/mcp.json"), file).expect("set");
    let refused = approve(&home, &[SIMPLE]);
    assert_eq!(refused.code, Some(2), "{}", refused.shown());
    filtered(|| insta::assert_snapshot!("read_only", refused.shown()));
}
