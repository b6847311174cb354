//! Paths of agents in TeamSpark's formats: one agent at the root, several agents below their own paths.

use crate::binary::{Home, request};
use serde_json::{Value, json};

const BOB: &str = r#"metadata:
  name: Bob Agent
  version: 1.0.2
  description: Knows the harbour.
  iconUrl: https://harbour.example/icon.png
  documentationUrl: https://harbour.example/docs
  provider: { organization: Harbour, url: "https://harbour.example" }
  autonomous: true
  skills:
    - { id: tides, name: Tides, description: Says when ships go., tags: [sea], examples: ["When is high tide?"] }
systemPrompt: You are Bob.
"#;

fn get(url: &str, path: &str) -> (u16, Value) {
    let reply = request(url, "GET", path, &[], "");
    (reply.status, serde_json::from_str(&reply.body).unwrap_or_default())
}

/// The answer of an agent at a path.
fn ask(url: &str, path: &str) -> Value {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hello"}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
    let reply = request(url, "POST", path, &[("Content-Type", "application/json")], &call.to_string());
    let body: Value = serde_json::from_str(&reply.body).expect("JSON");
    body["result"]["task"]["artifacts"][0]["parts"][0]["text"].clone()
}

#[test]
fn teamspark_17_single_agent_is_at_root_with_card_from_metadata() {
    let home = Home::new();
    home.write("bob/tsagent.yaml", BOB);
    home.write("bob/playbook.yaml", "rules:\n  - say: I am Bob.\n");
    let (server, url) = home.up(&["bob", "--port", "0"]);
    let (status, card) = get(&url, "/.well-known/agent-card.json");
    assert_eq!(status, 200, "{card}");
    let shown = ["name", "version", "description", "provider", "iconUrl", "documentationUrl", "skills"];
    let shown: Value = shown.iter().map(|key| ((*key).to_owned(), card[key].clone())).collect();
    let skill = &shown["skills"][0];
    assert_eq!(
        (&skill["id"], &skill["name"], &skill["description"], &skill["tags"], &skill["examples"]),
        (
            &json!("tides"),
            &json!("Tides"),
            &json!("Says when ships go."),
            &json!(["sea"]),
            &json!(["When is high tide?"])
        )
    );
    let expect = json!({
        "name": "Bob Agent", "version": "1.0.2", "description": "Knows the harbour.",
        "provider": {"organization": "Harbour", "url": "https://harbour.example"},
        "iconUrl": "https://harbour.example/icon.png", "documentationUrl": "https://harbour.example/docs",
        "skills": [skill],
    });
    assert_eq!(shown, expect);
    // The older card path, and the agent's URL in the card.
    assert_eq!(get(&url, "/.well-known/agent.json"), (200, card.clone()));
    assert_eq!(card["url"], format!("{url}/agents/bob-agent"));
    for path in ["/", "/a2a", "/agents/bob-agent"] {
        assert_eq!(ask(&url, path), "I am Bob.", "{path}");
    }
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn teamspark_17_several_agents_have_segments_and_the_list_has_the_real_port() {
    let home = Home::new();
    for (directory, name) in [("a", "X"), ("b", "X"), ("c", "Harbour Pilot")] {
        let yaml = format!("metadata:\n  name: {name}\n  description: In {directory}.\nsystemPrompt: Hi.\n");
        home.write(&format!("{directory}/tsagent.yaml"), &yaml);
        home.write(&format!("{directory}/playbook.yaml"), &format!("rules:\n  - say: I live in {directory}.\n"));
    }
    let expect = [("x", "X", "a"), ("x-1", "X", "b"), ("harbour-pilot", "Harbour Pilot", "c")];
    // Paths are stable across a restart.
    for _ in 0..2 {
        let (server, url) = home.up(&["a", "b", "c", "--port", "0"]);
        assert!(!url.ends_with(":0"), "{url}");
        let (_, listed) = get(&url, "/agents");
        let listed = listed["agents"].as_array().expect("agents").clone();
        assert_eq!(listed.len(), expect.len(), "{listed:?}");
        for (segment, title, directory) in expect {
            let entry = listed.iter().find(|entry| entry["name"] == segment).expect(segment);
            let at = format!("{url}/agents/{segment}");
            assert_eq!((&entry["url"], &entry["title"]), (&json!(format!("{at}/")), &json!(title)));
            assert_eq!(entry["cardUrl"], format!("{at}/.well-known/agent-card.json"));
            let (status, card) = get(&url, &format!("/agents/{segment}/.well-known/agent-card.json"));
            assert_eq!((status, &card["name"], &card["url"]), (200, &json!(title), &json!(at)), "{card}");
            assert_eq!(card["description"], format!("In {directory}."));
            assert_eq!(ask(&url, &format!("/agents/{segment}")), format!("I live in {directory}."));
        }
        // With several agents, none is at the root.
        let (status, error) = get(&url, "/.well-known/agent-card.json");
        assert!(status == 404 && error.to_string().contains("x-1"), "{status} {error}");
        server.signal("TERM");
        assert_eq!(server.end().code, Some(0));
    }
}

#[test]
fn teamspark_17_a_segment_and_its_sessions_stay_when_another_agent_is_deleted() {
    let home = Home::new();
    for directory in ["a", "b"] {
        let yaml = format!("metadata:\n  name: X\n  description: In {directory}.\nsystemPrompt: Hi.\n");
        home.write(&format!("agents/{directory}/tsagent.yaml"), &yaml);
        home.write(&format!("agents/{directory}/playbook.yaml"), &format!("rules:\n  - say: I live in {directory}.\n"));
    }
    let sessions = |url: &str, agent: &str| {
        let (_, page) = get(url, &format!("/api/v1/sessions?agent={agent}"));
        page["sessions"].as_array().expect("sessions").len()
    };
    let (server, url) = home.up(&["agents", "--port", "0"]);
    assert_eq!(ask(&url, "/agents/x"), "I live in a.");
    assert_eq!((sessions(&url, "x"), sessions(&url, "x-1")), (1, 0));
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    std::fs::remove_dir_all(home.path("agents/a")).expect("the first is deleted");

    let (server, url) = home.up(&["agents", "--port", "0"]);
    let (_, listed) = get(&url, "/agents");
    let names: Vec<&Value> = listed["agents"].as_array().expect("agents").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("x-1")], "{listed}");
    assert_eq!(ask(&url, "/agents/x-1"), "I live in b.");
    // The sessions of the deleted agent are not shown as sessions of the other one.
    assert_eq!(sessions(&url, "x-1"), 1);
    assert_eq!(get(&url, "/agents/x/.well-known/agent-card.json").0, 404);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
