//! Agents created, changed and deleted while a server runs, from the command line and from an MCP client.

use crate::{
    binary::{CommandOutput, Home, await_line, filtered, request},
    bridge::{BridgeClient, meta},
};
use serde_json::{Value, json};

const PLAYBOOK: &str = "rules:
  - { when: { system: 'Be kind' }, say: 'A very good day to you.' }
  - { say: 'Hello.' }
";

fn ok(ended: CommandOutput) -> CommandOutput {
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    ended
}

#[test]
fn cli_creates_and_edits_first_agent_in_empty_folder() {
    let home = Home::new();
    home.write("rules.yaml", PLAYBOOK);
    let missing_agent = home.run(&["run", "bob", "hi"]);
    let missing = home.run(&["up", "nowhere", "--port", "0"]);
    let (mut server, _) = home.up(&["--port", "0"]);
    let invited = await_line(&mut server.stderr, "no agents yet");
    let unmade = home.run(&["agents"]);
    let create = ["agents", "create", "bob", "--title", "Bob", "--prompt", "Be kind.", "--playbook", "rules.yaml"];
    let made = home.run(&create);
    let taken = home.run(&create);
    assert_eq!(ok(home.run(&["run", "bob", "hi", "-q"])).stdout, "A very good day to you.\n");
    let rules = |more: &[&str]| home.run(&[&["agents", "rules", "bob"], more].concat());
    let parts = |parts: &str, more: &[&str]| home.run(&[&["agents", parts, "bob"], more].concat());
    let none = ["rules", "references", "servers", "exports"].map(|kind| parts(kind, &[]));
    let documents = ["rules", "references", "servers", "exports"].map(|kind| parts(kind, &["--json"]));
    let wrote = rules(&["tone", "--text", "Be kind.", "--description", "How to speak", "--priority", "900"]);
    let all = [
        missing_agent,
        missing,
        unmade,
        made,
        taken,
        wrote,
        rules(&["tone", "--include", "agent"]),
        rules(&[]),
        rules(&["tone"]),
        rules(&["none"]),
        rules(&["tone", "--delete"]),
        home.run(&["agents", "references", "bob", "sky", "--text", "The sky is blue.", "--json"]),
        home.run(&["agents", "references", "bob"]),
        home.run(&["agents", "prompt", "bob"]),
        home.run(&["agents", "prompt", "bob", "--set", "Be kinder."]),
        home.run(&["agents", "prompt", "bob", "--json"]),
        parts("servers", &["files", "--set", r#"{"url": "https://me:s3cr3t@mcp.example.com/mcp"}"#]),
        parts("servers", &["files"]),
        parts("servers", &[]),
        parts("servers", &["files", "--set", "s3cr3t"]),
        parts("exports", &["sum", "--set", r#"{"description": "Sums up", "prompt": "Sum up."}"#]),
        parts("exports", &[]),
        parts("providers", &["openai", "--set", r#"{"api_key": "s3cr3t", "rpm": 7}"#]),
        parts("providers", &["openai"]),
        parts("providers", &["openai", "--set", r#"{"colour": "red"}"#]),
        parts("providers", &["nobody"]),
        parts("providers", &["openai", "--delete"]),
        parts("providers", &[]),
        parts("exports", &["sum", "--set", "[]"]),
        parts("providers", &["openai", "--set", "[]"]),
        home.run(&["agents", "remove", "bob"]),
        home.run(&["agents", "delete", "bob"]),
        home.run(&["agents", "delete", "bob", "--yes"]),
        home.run(&["agents", "delete", "bob", "--yes"]),
    ];
    let shown = all.iter().chain(&none).chain(&documents).map(CommandOutput::shown).collect::<Vec<_>>().join("\n");
    assert!(!shown.contains("s3cr3t"), "{shown}");
    filtered(|| insta::assert_snapshot!("managing", format!("{invited}\n{shown}")));
}

#[test]
fn kept_agents_survive_restart_and_temporary_agents_do_not() {
    let home = Home::new();
    home.write("rules.yaml", PLAYBOOK);
    let (server, _) = home.up(&["--port", "0"]);
    for args in [&["kept", "--keep"][..], &["passing"]] {
        ok(home.run(&[&["agents", "create"], args, &["--playbook", "rules.yaml"]].concat()));
    }
    assert!(home.path("kept/agent.yaml").exists() && !home.path("passing").exists());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    // Without a server there is no memory for temporary agents, so the agent is stored on disk.
    ok(home.run(&["agents", "create", "alone", "--playbook", "rules.yaml"]));
    let (_server, _) = home.up(&["--port", "0"]);
    let listed = ok(home.run(&["agents"])).stdout;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["alone", "kept"]);
    assert_eq!(ok(home.run(&["run", "kept", "hi", "-q"])).stdout, "Hello.\n");
}

#[test]
fn new_agents_folder_is_created_on_demand_and_served_after_restart() {
    let home = Home::new();
    home.write("rules.yaml", PLAYBOOK);
    // The folder is relative to the configuration file, not to the working directory.
    home.write("settings/baton.yaml", "new_agents: ../made\n");
    let up = ["--port", "0", "--config", "settings/baton.yaml"];
    let made = |name: &str| {
        let ended = ok(home.run(&["agents", "create", name, "--playbook", "rules.yaml"]));
        ended.stderr.lines().next().unwrap_or_default().to_owned()
    };
    let names = || {
        let listed = ok(home.run(&["agents", "--json"])).stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let agents = listed["agents"].as_array().expect("agents");
        agents.iter().map(|agent| agent["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let (server, url) = home.up(&up);
    assert!(!home.path("made").exists(), "the folder is created with the first agent");
    let said = made("usual");
    assert!(said.contains("made/usual") && home.path("made/usual/agent.yaml").exists(), "{said}");
    for (name, keep) in [("passing", false), ("lasting", true)] {
        let wish = json!({"name": name, "keep": keep}).to_string();
        let reply = request(&url, "POST", "/api/v1/agents", &[("Content-Type", "application/json")], &wish);
        assert_eq!(reply.status, 201, "{}", reply.body);
        assert_eq!(home.path(&format!("made/{name}")).exists(), keep, "{}", reply.body);
    }
    ok(home.run(&["agents", "rules", "usual", "tone", "--text", "Be kind."]));
    assert!(home.path("made/usual/rules/tone.md").exists(), "the rule is written beside the stored agent");
    assert_eq!(names(), ["lasting", "passing", "usual"]);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));

    let (server, _) = home.up(&up);
    assert_eq!(names(), ["lasting", "usual"]);
    assert_eq!(ok(home.run(&["run", "usual", "hi", "-q"])).stdout, "Hello.\n");
    ok(home.run(&["agents", "delete", "lasting", "--yes"]));
    ok(home.run(&["agents", "delete", "usual", "--yes"]));
    assert!(!home.path("made/usual").exists() && !home.path("made/lasting").exists());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    // The folder is now empty; at first it was missing.
    let (_server, _) = home.up(&up);
    assert!(names().is_empty());
}

/// Context items that the model received in a task, as (kind, name).
fn selected_context(url: &str, task: &str) -> Vec<(String, String)> {
    let events = request(url, "GET", &format!("/api/v1/tasks/{task}/events"), &[], "").body;
    let events: Value = serde_json::from_str(&events).expect("JSON");
    let all = events["events"].as_array().expect("events");
    let event = all.iter().find(|event| event["kind"] == "task.context_selected").expect("a context selection");
    let items = event["body"]["context_selected"]["request"]["items"].as_array().expect("items").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut names: Vec<_> = items.iter().map(|item| (text(&item["kind"]), text(&item["name"]))).collect();
    names.retain(|(kind, _)| kind != "tool");
    names.sort();
    names
}

/// teamspark.md, checklist 23: with a server and without one.
#[test]
fn teamspark_23_agent_created_by_mcp_client_answers() {
    for with_server in [true, false] {
        let home = Home::new();
        let server = with_server.then(|| home.up(&["--port", "0"]));
        let mut client = BridgeClient::start(&home, &["--manage"]);
        let mut id = 0;
        let mut call = |tool: &str, arguments: Value| {
            id += 1;
            let params = json!({"name": tool, "arguments": arguments, "_meta": meta()});
            let response = client.request(json!({"id": id, "method": "tools/call", "params": params}));
            assert_eq!(response["result"]["isError"], false, "{tool}: {response}");
            response["result"]["structuredContent"].clone()
        };
        let wish = json!({"name": "Bob", "initialPrompt": "Be kind.", "playbook": PLAYBOOK, "keep": true});
        let made = call("agent_create", wish);
        assert_eq!((&made["agentTarget"], &made["definition"]["location"]["in"]), (&json!("bob"), &json!("disk")));
        let text = |name: &str| json!({"agentTarget": "bob", "name": name, "text": "Some text.", "include": "always"});
        call("agent_add_rule", text("tone"));
        call("agent_add_reference", text("sky"));
        // An MCP server that starts a program requires the owner's permission; this caller is the owner.
        let config = json!({"command": "true", "env": {"KEY": "s3cr3t"}});
        let added = call("agent_add_mcp_server", json!({"agentTarget": "bob", "name": "tools", "config": config}));
        assert_eq!(added["mcp_server"]["config"]["env"]["KEY"], "***");
        let keys = json!({"OPENAI_API_KEY": "s3cr3t"});
        let provider = |config: &Value| json!({"agentTarget": "bob", "providerType": "openai", "config": config});
        assert_eq!(call("agent_validate_provider_config", provider(&json!({"colour": "red"})))["isValid"], false);
        assert_eq!(call("agent_validate_provider_config", provider(&keys))["isValid"], true);
        let installed = call("agent_install_provider", provider(&keys));
        assert_eq!(installed["provider"]["config"]["OPENAI_API_KEY"], "***");
        call("agent_update_provider", provider(&json!({"OPENAI_API_KEY": "***", "rpm": 7})));
        let listed = call("agent_list_providers", json!({"agentTarget": "bob"}));
        assert_eq!(listed["installed"], json!(["openai"]));
        let kept =
            std::fs::read_to_string(home.path("bob/agent.yaml")).expect("the agent is stored in the served folder");
        assert!(kept.contains("OPENAI_API_KEY: s3cr3t\n    rpm: 7\n"), "{kept}");
        call("agent_uninstall_provider", json!({"agentTarget": "bob", "providerType": "openai"}));
        assert!(home.path("bob/agent.yaml").exists(), "the agent is stored in the served folder");
        let (status, _) = client.end();
        assert!(status.success());
        let asked = ok(home.run(&["run", "bob", "hi", "--json"])).stdout;
        let task: Value = serde_json::from_str(&asked).expect("JSON");
        assert!(asked.contains("A very good day to you."), "{asked}");
        if let Some((_server, url)) = &server {
            let chosen = selected_context(url, task["id"].as_str().expect("an id"));
            assert_eq!(chosen, [("reference", "sky"), ("rule", "tone")].map(|(kind, name)| (kind.into(), name.into())));
        }
    }
}
