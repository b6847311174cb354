//! Ten MCP servers; one hangs and one exits at once.

use crate::{
    binary::{Home, await_line, filtered},
    mcp::fixture,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn ten() -> Home {
    let home = Home::new();
    home.agent("busy", "", "rules: [{ say: \"At your service.\" }]\n");
    let fixture = fixture();
    let mut servers = serde_json::Map::new();
    for number in 1..=8 {
        servers.insert(format!("good{number}"), json!({"command": fixture}));
    }
    servers.insert("exits".to_owned(), json!({"command": "sh", "args": ["-c", "echo no licence found >&2; exit 7"]}));
    servers.insert("hangs".to_owned(), json!({"command": "sleep", "args": ["1000"], "startupTimeout": "1m"}));
    home.write("busy/mcp.json", &json!({"mcpServers": servers}).to_string());
    home
}

#[test]
fn agent_is_usable_at_once_and_bad_servers_are_reported() {
    let home = ten();
    let mut server = home.start(&["up", "--port", "0", "--json"]);
    await_line(&mut server.stdout, "\"url\"");
    let begun = Instant::now();
    let said = home.run(&["run", "busy", "hello", "-q"]);
    let took = begun.elapsed();
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "At your service.\n"), "{}", said.shown());
    assert!(took < Duration::from_secs(5), "{took:?} for a run, including two process starts on a busy machine");
    // Each server is reported once, as soon as its state is known.
    let mut known: Vec<Value> = Vec::new();
    while known.len() < 9 {
        let line: Value = serde_json::from_str(&await_line(&mut server.stdout, "mcp_server")).expect("JSON");
        known.push(line["mcp_server"].clone());
    }
    let failed: Vec<&Value> = known.iter().filter(|server| server["state"] != "ready").collect();
    assert_eq!((failed.len(), &failed[0]["name"]), (1, &"exits".into()), "{known:#?}");
    let list = home.run(&["tools", "list", "busy", "--wait", "0s", "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).expect("JSON");
    let states: Vec<(&str, &str)> = list["servers"]
        .as_array()
        .expect("servers")
        .iter()
        .filter_map(|server| Some((server["name"].as_str()?, server["state"].as_str()?)))
        .filter(|(_, state)| *state != "ready")
        .collect();
    assert_eq!(states, [("exits", "failed"), ("hangs", "starting")], "{list:#}");
    let shown = home.run(&["tools", "list", "busy", "--wait", "0s"]);
    let servers = shown.stdout.split("MCP servers\n").nth(1).expect("servers").to_owned();
    filtered(|| insta::assert_snapshot!("servers", servers));
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn a_call_waits_for_its_own_server_only() {
    let home = ten();
    let begun = Instant::now();
    let called = home.run(&["tools", "call", "busy", "good1__test_simple_text", "--yes", "--wait", "1m"]);
    let took = begun.elapsed();
    let words = "This is a simple text response for testing.\n";
    assert_eq!((called.code, called.stdout.as_str()), (Some(0), words), "{}", called.shown());
    assert!(took < Duration::from_secs(30), "{took:?}: the call waited for the hanging server");
}
