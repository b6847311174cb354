//! `baton tools approve`: words that are written into definitions and hold for the next call.

use crate::{
    binary::{Ended, Home, filtered},
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

fn called(home: &Home, tool: &str) -> Option<i32> {
    home.run(&["tools", "call", "helper", tool]).code
}

fn approve(home: &Home, args: &[&str]) -> Ended {
    home.run(&[&["tools", "approve", "helper"], args].concat())
}

/// Each word, what is said about it, and how a call ends then.
fn story(home: &Home) -> String {
    let mut told = String::new();
    let mut tell = |line: &str| {
        told.push_str(line);
        told.push('\n');
    };
    tell(&format!("call: {:?}", called(home, SIMPLE)));
    for (args, tool) in [
        (&[SIMPLE][..], SIMPLE),
        (&[SIMPLE], SIMPLE),
        (&[SIMPLE, "--deny"], SIMPLE),
        // What is denied is not offered, and can be named all the same.
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
        tell(&format!("\n$ baton tools approve helper {}", args.join(" ")));
        tell(approve(home, args).shown().trim_end());
        tell(&format!("call of {tool}: {:?}", called(home, tool)));
    }
    tell(&format!("\n{}", servers(home)));
    tell(&fs::read_to_string(home.path("helper/agent.yaml")).expect("read"));
    told
}

#[test]
fn without_a_server_words_are_written_and_hold() {
    let home = home();
    filtered(|| insta::assert_snapshot!("words", story(&home)));
}

#[test]
fn teamspark_10_disabled_servers_and_tools_are_gone_at_once_and_other_words_hold_as_well() {
    let home = home();
    let (server, _) = home.up(&["--port", "0"]);
    filtered(|| insta::assert_snapshot!("words", story(&home)));
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
fn what_is_unknown_is_refused_with_what_there_is() {
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
