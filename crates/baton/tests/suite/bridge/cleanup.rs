//! Processes of MCP servers end with Baton, also when it is killed.

use super::client::{BridgeClient, ProcessProbe, meta};
use crate::{
    binary::{Home, await_line},
    mcp::fixture,
};
use serde_json::json;

/// An agent with a working MCP server and one that never answers and ignores signals, both behind a wrapper process.
fn agent(home: &Home) {
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let fixture = fixture();
    let script = |pipe: &str, rest: &str| json!({"command": "sh", "args": ["-c", format!("exec 3>../{pipe}; {rest}")]});
    // A wrapper process, as package runners create it.
    let good = script("good", &format!("exec 4<&0; {} <&4 & wait", fixture.display()));
    let deaf = script("deaf", "trap '' TERM HUP INT; sleep 1000 & wait; wait");
    let servers = json!({"mcpServers": {"good": good, "deaf": deaf}});
    home.write("helper/mcp.json", &servers.to_string());
    home.pipe("good");
    home.pipe("deaf");
}

fn watch_servers(home: &Home) -> [ProcessProbe; 2] {
    ["good", "deaf"].map(|pipe| ProcessProbe::watch(home.path(pipe)))
}

#[test]
fn mcp_server_processes_end_with_the_server() {
    let home = Home::new();
    agent(&home);
    for signal in ["TERM", "KILL"] {
        let servers = watch_servers(&home);
        let (mut server, _) = home.up(&["--port", "0"]);
        servers.iter().for_each(ProcessProbe::wait_for_start);
        await_line(&mut server.stderr, "MCP server good is ready");
        server.signal(signal);
        server.end();
        servers.iter().for_each(ProcessProbe::wait_for_end);
    }
}

#[test]
fn mcp_server_processes_end_with_the_bridge() {
    let home = Home::new();
    agent(&home);
    for killed in [false, true] {
        let servers = watch_servers(&home);
        let mut client = BridgeClient::start(&home, &["--agent", "helper"]);
        // Lists wait briefly for starting servers, and the working one starts quickly.
        let mut names = String::new();
        for id in 1.. {
            let list = client.request(json!({"id": id, "method": "tools/list", "params": {"_meta": meta()}}));
            names = list["result"]["tools"].to_string();
            if names.contains("good__") || id == 20 {
                break;
            }
        }
        assert!(names.contains("good__test_simple_text"), "{names}");
        servers.iter().for_each(ProcessProbe::wait_for_start);
        match killed {
            true => client.kill(),
            false => drop(client.end()),
        }
        servers.iter().for_each(ProcessProbe::wait_for_end);
    }
}
