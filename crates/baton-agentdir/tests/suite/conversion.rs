//! Conversion of an agent to another format and back.

use super::teamspark::{first_format, single};
use baton_agentdir::{ConvertError, Format, ParsedAgent, convert, parse};
use baton_types::{AgentResources, AgentSpec};
use proptest::prelude::*;
use serde_json::json;
use std::{collections::BTreeMap, fmt::Write};

type Files = BTreeMap<String, Vec<u8>>;

fn read(files: &Files) -> (AgentSpec, AgentResources) {
    let ParsedAgent { agent, resources: kit, diagnostics } = parse(files, "/agents/a");
    (agent.unwrap_or_else(|| panic!("{diagnostics:?}")), kit)
}

fn shown(files: &Files) -> String {
    let mut all = String::new();
    for (path, bytes) in files {
        let _ = writeln!(all, "== {path}\n{}", String::from_utf8_lossy(bytes));
    }
    all
}

/// Resources without the file that each server is defined in.
fn without_server_files(mut kit: AgentResources) -> AgentResources {
    kit.servers.iter_mut().for_each(|server| server.file.clear());
    kit
}

const COMMON: &str = r#"
name: harbour-guide
title: Harbour Guide
description: "Knows: the harbour."
version: "1.2"
model: openai:gpt-4o
provider: { organization: Us, url: "https://us.example" }
icon_url: https://us.example/a.png
documentation_url: https://us.example/a
autonomous: true
settings:
  max_turns: 7
  tool_permission: never
  max_output_tokens: 2000
  temperature: 0.125
  top_p: 1
  context: { top_k: 40, top_n: 2, include_score: 0.4 }
skills:
  - { id: berths, name: Berths, description: Finds one., tags: [ships, quays], examples: ["Where?"] }
rules:
  - { name: exact, description: Keeps its end, text: "Ends with a line.\n", include: always, priority: 0 }
mcpServers:
  files: { command: files, args: ["--root", "${workspaceFolder}/data"], env: { TOKEN: "${TOKEN}" }, cwd: data,
           prefix: f, required: true, trust: true, era: modern, timeouts: { startup: 5s, call: 1500ms },
           permissions: { default: allow, tools: { write: ask } },
           serverToolDefaults: { include: agent }, tools: { write: { include: manual } },
           expose: { include: ["*_file", write], exclude: [format] } }
  web: { type: http, url: "https://mcp.example.com/", headers: { A: b }, oauth: { client_id: id, scopes: [a] }, disabled: true }
  old: { type: sse, url: "http://127.0.0.1:1/sse" }
  memory: { type: internal, tool: references }
exports:
  - { name: plan, description: Plans., parameters: { properties: { city: { type: string } }, required: [city] },
      prompt: "Plan for {city} as {{\"days\": []}." }
"#;

fn common() -> Files {
    let mut files = Files::new();
    for (path, text) in [
        ("agent.yaml", COMMON),
        ("prompt.md", "You are the guide.\n\n  - calm\n  - exact\n"),
        ("playbook.yaml", "rules: [{ say: hello }]\n"),
        ("rules/tone.md", "---\ndescription: How to speak\npriority: 3\ninclude: agent\n---\nCalmly.\n"),
        ("rules/plain.md", "# Be kind\n\nAlways."),
        ("references/fees.md", "---\nname: The Fees\n---\nTwo crowns."),
        ("AGENTS.md", "Run the tests.\n"),
        ("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nUse the tool.\n"),
    ] {
        files.insert(path.to_owned(), text.as_bytes().to_vec());
    }
    files
}

#[test]
fn round_trip_keeps_everything_that_both_formats_support() {
    let files = common();
    let before = read(&files);
    for form in [Format::Tsagent, Format::Tspark, Format::TsagentJson] {
        let there = convert(&files, form).unwrap();
        let trimmed = form != Format::Tsagent;
        let expect = if trimmed { &["white space around the text of the rule exact"][..] } else { &[] };
        assert_eq!(there.lost, expect, "{form:?}\n{}", shown(&there.files));
        assert_eq!(Format::detect(&there.files), Some(form));
        let back = convert(&there.files, Format::Native).unwrap();
        assert_eq!(back.lost, [] as [&str; 0], "{form:?}\n{}", shown(&back.files));
        let after = read(&back.files);
        let mut spec = after.0;
        if trimmed {
            spec.knowledge.rules[1].text.push('\n');
        }
        spec.knowledge.rules.sort_by(|a, b| (a.priority, &a.name).cmp(&(b.priority, &b.name)));
        assert_eq!(spec, before.0, "{form:?}\n{}", shown(&back.files));
        assert_eq!(
            without_server_files(after.1),
            without_server_files(before.1.clone()),
            "{form:?}\n{}",
            shown(&back.files)
        );
    }
    insta::assert_snapshot!(shown(&convert(&files, Format::Tsagent).unwrap().files));
    insta::assert_snapshot!("as_the_first_form", shown(&convert(&files, Format::Tspark).unwrap().files));
}

#[test]
fn foreign_agents_are_converted_to_native_directories() {
    let mut all = String::new();
    for (what, files) in [
        ("first form", first_format()),
        ("clerk", single("clerk.yaml")),
        ("tool-finder", single("tool-finder.yaml")),
        ("librarian", single("librarian.yaml")),
    ] {
        let converted = convert(&files, Format::Native).unwrap();
        let (before, after) = (read(&files), read(&converted.files));
        let (mut spec, written) = (before.0, after.0);
        if spec.skills[0].id == "chat" {
            spec.skills = written.skills.clone();
        }
        assert_eq!(spec, written, "{what}");
        let _ = writeln!(all, "# {what}\nlost: {:#?}\n{}", converted.lost, shown(&converted.files));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn conversion_between_foreign_formats_keeps_unknown_keys() {
    let converted = convert(&first_format(), Format::Tsagent).unwrap();
    assert_eq!(converted.lost, [] as [&str; 0]);
    insta::assert_snapshot!(shown(&converted.files));
    let back = convert(&converted.files, Format::Tspark).unwrap();
    assert_eq!(back.lost, [] as [&str; 0]);
    assert_eq!(read(&back.files).0, read(&first_format()).0);
}

#[test]
fn conversion_reports_unsupported_parts() {
    let yaml = r#"
name: desk
title: Front Desk
input_modes: ["*/*"]
enable_handoff: false
handoffs: [legal]
settings: { tools: caller, parallel_tools: 2, deadline: 1h, control_tools: [ask_user], orchestration: true }
permissions: [{ tool: "*", permission: ask }]
tools: [{ name: look, description: Looks., command: [ls] }]
mcpServers:
  any: { url: "https://mcp.example.com/" }
  strict: { command: s, permissions: { default: deny, tools: { a: { arguments: [{ path: /x, glob: y, permission: allow }] } } } }
exports: [{ name: plan, description: d, prompt: "{{city}", parameters: { properties: { city: {} } } }]
"#;
    let files = Files::from([
        ("agent.yaml".to_owned(), yaml.as_bytes().to_vec()),
        ("prompt.md".to_owned(), b"p".to_vec()),
        ("references/table.json".to_owned(), b"{}".to_vec()),
    ]);
    insta::assert_snapshot!(convert(&files, Format::Tsagent).unwrap().lost.join("\n"));
    let same = convert(&files, Format::Native).unwrap_err();
    assert_eq!(same.to_string(), "the agent is already in the format native");
    let broken = Files::from([("tspark.json".to_owned(), b"{".to_vec())]);
    assert!(matches!(convert(&broken, Format::Native), Err(ConvertError::Invalid(remarks)) if remarks.len() == 1));
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~äß\n\t]{1,60}", "(a|\n|  b|#|: |- |\\||---\n|\\{|\\}){1,10}", "[A-Za-z .,]{1,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// Knowledge in any notation survives the conversion to a single file and back to a directory.
    #[test]
    fn any_knowledge_survives(
        items in prop::collection::btree_map("[A-Za-z0-9_-]{1,12}", (words(), words(), 0u16..1000, 0usize..3), 0..5),
        prompt in words(),
        description in words(),
        numbers in (1u32..100, 0u16..2001, prop::option::of(0u16..1001)),
    ) {
        prop_assume!(!prompt.trim().is_empty() && !description.trim().is_empty());
        let modes = ["always", "manual", "agent"];
        let rules: Vec<_> = items
            .iter()
            .filter(|(_, (text, ..))| !text.trim().is_empty())
            .map(|(name, (text, about, priority, mode))| {
                json!({"name": name, "text": text, "description": about, "priority": priority, "include": modes[*mode]})
            })
            .collect();
        let mut yaml = json!({
            "name": "a", "title": "A", "description": description, "rules": rules, "references": rules,
            "settings": {"max_turns": numbers.0, "temperature": f64::from(numbers.1) / 1000.0},
        });
        if let Some(top_p) = numbers.2 {
            yaml["settings"]["top_p"] = (f64::from(top_p) / 1000.0).into();
        }
        let files = Files::from([
            ("agent.yaml".to_owned(), yaml.to_string().into_bytes()),
            ("prompt.md".to_owned(), prompt.into_bytes()),
        ]);
        let before = read(&files).0;
        let there = convert(&files, Format::Tsagent).unwrap();
        prop_assert_eq!(&there.lost, &Vec::<String>::new(), "{}", shown(&there.files));
        let back = convert(&there.files, Format::Native).unwrap();
        prop_assert_eq!(&back.lost, &Vec::<String>::new(), "{}", shown(&back.files));
        let after = read(&back.files).0;
        prop_assert_eq!(after, AgentSpec { version: before.version.clone(), ..before }, "{}", shown(&back.files));
    }
}
