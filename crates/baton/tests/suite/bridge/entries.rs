//! Agents that are listed as arguments.

use super::client::{BridgeClient, session_call};
use crate::binary::Home;
use serde_json::{Value, json};
use std::{fs, net::TcpListener};

fn agents(client: &mut BridgeClient, id: u64) -> Value {
    client.request(session_call(id, "list_agents", &json!({})))["result"]["structuredContent"].clone()
}

fn names(list: &Value) -> Vec<&str> {
    let agents = list["agents"].as_array().unwrap_or_else(|| panic!("no agents: {list}"));
    let mut names: Vec<&str> = agents.iter().filter_map(|agent| agent["agentId"].as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn local_and_remote_agents_are_served_and_broken_ones_reported() {
    let (here, there) = (Home::new(), Home::new());
    there.agent("far", "", "rules: [{ say: \"From afar.\" }]\n");
    let (_server, url) = there.up(&["--port", "0"]);
    here.agent("near", "", "rules: [{ say: \"From here.\" }]\n");
    here.agent("ignored", "", "rules: [{ say: \"Nobody asked me.\" }]\n");
    here.write("broken/agent.yaml", "name: broken\nversoin: 1\n");
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
    let near = format!("file://{}", here.path("near").display());
    let far = format!("{url}/agents/far");
    let dead = format!("http://{nobody}");
    let mut client = BridgeClient::legacy(&here, &[&near, "broken", "missing", &far, &dead]);
    let list = agents(&mut client, 1);
    assert_eq!(names(&list), ["far", "near"], "{list}");
    let shown = list.to_string();
    for bad in ["broken", "missing", &dead] {
        assert!(shown.contains(bad), "{bad} is not listed: {list}");
    }
    let mut ask = |id: u64, agent: &str| {
        let called = client.request(session_call(id, "call_agent", &json!({"agentId": agent, "message": "hello"})));
        called["result"]["structuredContent"]["response"].as_str().map(str::to_owned)
    };
    assert_eq!(ask(2, "near").as_deref(), Some("From here."));
    assert_eq!(ask(3, "far").as_deref(), Some("From afar."));
    // Changes on disk take effect without a restart.
    fs::remove_dir_all(here.path("broken")).expect("removed");
    here.agent("broken", "", "rules: [{ say: \"Mended.\" }]\n");
    let mut id = 10;
    let list = loop {
        // The list is refreshed at most once a second.
        let list = agents(&mut client, id);
        if names(&list) == ["broken", "far", "near"] {
            break list;
        }
        id += 1;
        assert!(id < 100_000, "{list}");
    };
    assert!(!list.to_string().contains("versoin"), "{list}");
    let (status, said) = client.end();
    assert_eq!(status.code(), Some(0));
    for bad in ["broken cannot be used", "missing cannot be used", &format!("{dead} cannot be used")] {
        assert!(said.contains(bad), "{bad} is not reported:\n{said}");
    }
    assert!(!here.path(".baton").exists(), "no data directory is created");
}

#[test]
fn missing_agents_are_reported_at_once() {
    let home = Home::new();
    let mut client = BridgeClient::start(&home, &[]);
    assert_eq!(client.drain(), Vec::<Value>::new());
    let (status, said) = client.end();
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("BTN-2001"), "{said}");
}
