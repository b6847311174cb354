//! No program stays behind, however Baton ends.

use super::talk::{Alive, Talk, meta};
use crate::{
    binary::{Home, await_line},
    mcp::fixture,
};
use serde_json::json;

/// An agent with an MCP server that works and one that neither answers nor listens, both with a program of their own.
fn agent(home: &Home) {
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let fixture = fixture();
    let script = |pipe: &str, rest: &str| json!({"command": "sh", "args": ["-c", format!("exec 3>../{pipe}; {rest}")]});
    // A program in between, as package runners are.
    let good = script("good", &format!("exec 4<&0; {} <&4 & wait", fixture.display()));
    let deaf = script("deaf", "trap '' TERM HUP INT; sleep 1000 & wait; wait");
    let servers = json!({"mcpServers": {"good": good, "deaf": deaf}});
    home.write("helper/mcp.json", &servers.to_string());
    home.pipe("good");
    home.pipe("deaf");
}

fn watched(home: &Home) -> [Alive; 2] {
    ["good", "deaf"].map(|pipe| Alive::watch(home.path(pipe)))
}

#[test]
fn of_a_server_that_stops_or_is_killed() {
    let home = Home::new();
    agent(&home);
    for signal in ["TERM", "KILL"] {
        let servers = watched(&home);
        let (mut server, _) = home.up(&["--port", "0"]);
        servers.iter().for_each(Alive::begins);
        await_line(&mut server.stderr, "MCP server good is ready");
        server.signal(signal);
        server.end();
        servers.iter().for_each(Alive::ends);
    }
}

#[test]
fn of_a_bridge_that_ends_or_is_killed() {
    let home = Home::new();
    agent(&home);
    for killed in [false, true] {
        let servers = watched(&home);
        let mut talk = Talk::start(&home, &["--agent", "helper"]);
        // Lists wait a moment for servers that are on their way, and the good one is quick.
        let mut names = String::new();
        for id in 1.. {
            let list = talk.asks(json!({"id": id, "method": "tools/list", "params": {"_meta": meta()}}));
            names = list["result"]["tools"].to_string();
            if names.contains("good__") || id == 20 {
                break;
            }
        }
        assert!(names.contains("good__test_simple_text"), "{names}");
        servers.iter().for_each(Alive::begins);
        match killed {
            true => talk.kill(),
            false => drop(talk.end()),
        }
        servers.iter().for_each(Alive::ends);
    }
}
