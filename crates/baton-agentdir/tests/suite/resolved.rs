//! The agent parsed from a valid directory.

use super::{parse_files, parse_yaml, shown};
use baton_agentdir::{parse, scaffold};
use baton_types::{ModelSpec, ToolRunner, is_agent_name};
use std::{collections::BTreeMap, path::Path};

#[test]
fn full_definition() {
    let yaml = r#"
name: sales-desk
description: Sells.
version: 2.1.0
model: playbook
input_modes: [text/plain, Image/*, "*/*"]
settings: { max_turns: 3, parallel_tools: 2, deadline: 90s, tools: caller, control_tools: [ask_user, reject_task] }
skills: [{ id: sell, examples: ["Buy?"] }]
tools:
  - name: price
    description: The price of an item.
    command: ["sh", "price.sh", "--item=${item}"]
    directory: ./tools/../scripts
    timeout: 1500ms
    max_output: 1KB
    effects: idempotent
    parameters: { properties: { item: { type: string }, n: { type: integer, minimum: 1 } }, required: [item] }
handoffs: [weather, { agent: legal, description: Contracts. }]
"#;
    let files: &[(&str, &[u8])] =
        &[("agent.yaml", yaml.as_bytes()), ("prompt.md", b"Sell.\n"), ("playbook.yaml", b"rules: []")];
    let parsed = parse_files(files);
    assert_eq!(shown(&parsed), "\nagent: yes");
    insta::assert_json_snapshot!(serde_json::to_value(parsed.agent).unwrap());
}

#[test]
fn minimal_definition() {
    let parsed = parse_yaml("name: tiny-agent");
    assert_eq!(shown(&parsed), "\nagent: yes");
    insta::assert_json_snapshot!(serde_json::to_value(parsed.agent).unwrap());
}

#[test]
fn names_are_path_segments() {
    for good in ["a", "7", "weather", "sales-desk-2"] {
        assert!(is_agent_name(good), "{good}");
    }
    let long = "a".repeat(65);
    for bad in ["", "-a", "a-", "A", "a_b", "a/b", "..", "a b", "ä", "a\n", "v1", "tasks", "agents", long.as_str()] {
        assert!(!is_agent_name(bad), "{bad}");
    }
}

#[test]
fn scaffold_is_valid() {
    let files = scaffold("my-agent").into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    let parsed = parse(&files, "/agents/my-agent");
    assert_eq!(shown(&parsed), "\nagent: yes");
    let agent = parsed.agent.unwrap();
    assert_eq!(agent.name.as_str(), "my-agent");
    assert!(matches!(agent.model, ModelSpec::Playbook { rules: Some(_) }));
    assert_eq!(agent.tools.len(), 1);
}

#[test]
fn examples_are_valid() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, title, tools, handoffs) in [
        ("weather", "Weather Assistant", 1, 0),
        ("personal", "Personal Assistant", 0, 1),
        ("conformance", "Conformance Agent", 0, 0),
    ] {
        let mut files = BTreeMap::new();
        for file in ["agent.yaml", "prompt.md", "playbook.yaml"] {
            files.insert(file.to_owned(), std::fs::read(examples.join(name).join(file)).unwrap());
        }
        let parsed = parse(&files, "/examples");
        assert_eq!(shown(&parsed), "\nagent: yes");
        let agent = parsed.agent.unwrap();
        assert_eq!((agent.name.as_str(), agent.title.as_str()), (name, title));
        assert_eq!((agent.tools.len(), agent.handoffs.len()), (tools, handoffs));
        for tool in &agent.tools {
            let ToolRunner::Command(command) = &tool.runner else { panic!("{tool:?}") };
            assert_eq!(command.directory, "/examples");
            assert!(tool.effects.may_repeat());
        }
    }
}

fn first_yaml_of(page: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = std::fs::read_to_string(page).unwrap_or_default();
    text.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default().to_owned()
}

#[test]
fn documented_agent_is_valid() {
    let parsed = parse_yaml(&first_yaml_of("agent-directory.md"));
    assert_eq!(shown(&parsed), "\nagent: yes");
    let agent = parsed.agent.unwrap();
    assert_eq!((agent.tools.len(), parsed.resources.servers.len(), parsed.resources.exports.len()), (2, 1, 1));
}

#[test]
fn documented_servers_are_valid() {
    let parsed = parse_yaml(&format!("name: a\n{}", first_yaml_of("mcp-servers.md")));
    assert_eq!(shown(&parsed), "\nagent: yes");
    assert_eq!(parsed.resources.servers.len(), 2);
}
