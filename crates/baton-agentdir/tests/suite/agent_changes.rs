//! Every kind of change, applied to agents of every format.

use baton_agentdir::{AgentAmendment, EditError, amend, edit, parse};
use baton_types::{
    AgentChange, AgentPublisher, ApprovalMode, InclusionMode, ItemDraft, ItemKind, Json, McpTool, MetadataChange,
    Permission, PermissionChange, PermissionTarget, SessionOverrides, Thousandths,
};
use std::{collections::BTreeMap, fmt::Write as _};

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

fn files(written: &[(&str, &str)]) -> Files {
    written.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

fn create(kind: ItemKind, name: &str, text: &str) -> AgentChange {
    AgentChange::Create { kind, item: draft(name).text(text).0 }
}

fn update(kind: ItemKind, Draft(item): Draft) -> AgentChange {
    AgentChange::Update { kind, item }
}

fn remove(kind: ItemKind, name: &str) -> AgentChange {
    AgentChange::Remove { kind, name: name.to_owned() }
}

struct Draft(ItemDraft);

fn draft(name: &str) -> Draft {
    Draft(ItemDraft { name: name.to_owned(), ..ItemDraft::default() })
}

impl Draft {
    fn text(self, text: &str) -> Self {
        Self(ItemDraft { text: Some(text.to_owned()), ..self.0 })
    }

    fn about(self, words: &str) -> Self {
        Self(ItemDraft { description: Some(words.to_owned()), ..self.0 })
    }

    fn priority(self, priority: u16) -> Self {
        Self(ItemDraft { priority: Some(priority), ..self.0 })
    }

    fn include(self, include: InclusionMode) -> Self {
        Self(ItemDraft { include: Some(include), ..self.0 })
    }
}

/// The changed files, and the paths of those that differ.
pub(crate) fn amended(files: &Files, change: &AgentChange) -> Result<(Files, Vec<String>), EditError> {
    let AgentAmendment { changes, .. } = amend(files, change)?;
    let changed = changes.keys().cloned().collect();
    let mut after = files.clone();
    for (path, content) in changes {
        match content {
            Some(bytes) => after.insert(path, bytes),
            None => after.remove(&path),
        };
    }
    Ok((after, changed))
}

/// The differing lines.
fn difference(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split('\n').collect();
    let new: Vec<&str> = after.split('\n').collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    let mut text = String::new();
    for line in &old[same..old.len() - tail] {
        let _ = writeln!(text, "-{line}");
    }
    for line in &new[same..new.len() - tail] {
        let _ = writeln!(text, "+{line}");
    }
    text
}

/// Applies the changes one after the other and describes the results.
fn story(files: &mut Files, changes: &[AgentChange]) -> String {
    let mut told = String::new();
    for change in changes {
        let _ = writeln!(told, "# {change:?}");
        match amend(files, change) {
            Ok(AgentAmendment { file, changes }) if changes.is_empty() => {
                let _ = writeln!(told, "{file} says so already");
            }
            Ok(amended) => {
                for (path, content) in amended.changes {
                    let before = String::from_utf8(files.get(&path).cloned().unwrap_or_default()).unwrap();
                    let _ = match &content {
                        Some(bytes) => {
                            write!(told, "{path}\n{}", difference(&before, std::str::from_utf8(bytes).unwrap()))
                        }
                        None => writeln!(told, "{path} goes"),
                    };
                    match content {
                        Some(bytes) => files.insert(path, bytes),
                        None => files.remove(&path),
                    };
                }
            }
            Err(error) => {
                let _ = writeln!(told, "{}: {error}", error.code().code);
            }
        }
    }
    told
}

use ItemKind::{Reference, Rule};

#[test]
fn file_items_keep_their_other_contents() {
    let mut files = files(&[
        ("agent.yaml", "name: test # me\n"),
        ("prompt.md", "You are a test.\n"),
        ("AGENTS.md", "Be kind.\n"),
        (
            "rules/tone.md",
            "---\n# how we speak\nname: tone\nmood: 7 # ours\npriority: 10 # early\n---\n\nBe brief.\n\n---\n\nAlways.\n",
        ),
        ("rules/plain.md", "Plain words.\n"),
        ("references/fees.json", "{\"berth\": 7}\n"),
        ("references/map.mdt", "---\n{\"name\":\"map\",\"enabled\":true,\"priorityLevel\":3}---\nNorth is up.\n"),
        ("skills/knots/SKILL.md", "---\nname: knots\ndescription: Tie knots.\nlicense: MIT\n---\nOver, under.\n"),
    ]);
    insta::assert_snapshot!(story(
        &mut files,
        &[
            create(Rule, "new-one", "Say so.\n"),
            create(Rule, "tone", "Again."),
            create(Rule, "no such name", "x"),
            create(Rule, "void", "  \n"),
            AgentChange::Create {
                kind: Reference,
                item: draft("Prices")
                    .text("---\nA fence.")
                    .about("What it costs: all of it")
                    .priority(0)
                    .include(InclusionMode::Agent)
                    .0,
            },
            update(Rule, draft("tone").priority(20).include(InclusionMode::Always)),
            update(Rule, draft("tone").text("Be kind.").about("How to speak")),
            update(Rule, draft("tone").text("Be kind.").about("How to speak")),
            update(Rule, draft("plain").priority(7)),
            update(Rule, draft("plain").text("Other words.")),
            update(Rule, draft("agents-md").text("Be kinder.")),
            update(Rule, draft("agents-md").priority(7)),
            update(Rule, draft("nobody").priority(7)),
            update(Rule, draft("tone").priority(1000)),
            update(Reference, draft("fees").text("{\"berth\": 8}")),
            update(Reference, draft("fees").about("Fees")),
            update(Reference, draft("map").priority(4).about("Where things are").text("South is down.")),
            update(Reference, draft("knots").include(InclusionMode::Manual)),
            remove(Reference, "knots"),
            remove(Rule, "agents-md"),
            remove(Rule, "tone"),
            remove(Rule, "tone"),
            AgentChange::Prompt("You are another.\n\n".to_owned()),
            AgentChange::Prompt("You are another.".to_owned()),
            AgentChange::Prompt(" \n".to_owned()),
        ]
    ));
    assert!(parse(&files, "/agents/test").diagnostics.is_empty());
}

/// Every setting and every field of the card.
fn settings_and_card() -> Vec<AgentChange> {
    let some = |text: &str| Some(text.to_owned());
    vec![
        AgentChange::Settings(SessionOverrides { max_turns: Some(7), ..SessionOverrides::default() }),
        AgentChange::Settings(SessionOverrides {
            model: some("claude:claude-x"),
            max_output_tokens: Some(2000),
            temperature: Some(Thousandths(250)),
            top_p: Some(Thousandths(1000)),
            tool_permission: Some(ApprovalMode::Always),
            context_top_k: Some(9),
            context_top_n: Some(3),
            context_include_score: Some(Thousandths(500)),
            ..SessionOverrides::default()
        }),
        AgentChange::Settings(SessionOverrides { max_turns: Some(0), ..SessionOverrides::default() }),
        AgentChange::Metadata(MetadataChange {
            description: some("Knows the harbour: all of it"),
            version: some("2.0"),
            provider: Some(AgentPublisher {
                organization: "Harbour".to_owned(),
                url: "https://harbour.example".to_owned(),
            }),
            icon_url: some("https://harbour.example/i.png"),
            documentation_url: some("https://harbour.example/docs"),
            ..MetadataChange::default()
        }),
        AgentChange::Metadata(MetadataChange { title: some("Test!"), ..MetadataChange::default() }),
        AgentChange::Metadata(MetadataChange { title: some("Somebody Else"), ..MetadataChange::default() }),
        AgentChange::Metadata(MetadataChange { title: some(" "), ..MetadataChange::default() }),
        AgentChange::Settings(SessionOverrides {
            tool_permission: Some(ApprovalMode::Tool),
            ..SessionOverrides::default()
        }),
        AgentChange::Metadata(MetadataChange { autonomous: Some(true), ..MetadataChange::default() }),
    ]
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Servers, included parts of them, and exported tools.
fn tools() -> Vec<AgentChange> {
    let server =
        |name: &str, entry: Option<&str>| AgentChange::Server { name: name.to_owned(), entry: entry.map(json) };
    let export =
        |name: &str, entry: Option<&str>| AgentChange::Export { name: name.to_owned(), entry: entry.map(json) };
    let tool = |tool: &str| PermissionTarget::Tool(McpTool { server: "fs".to_owned(), tool: tool.to_owned() });
    let plan = r#"{"description": "Plans a trip.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}, "prompt": "Plan a trip to {city}.\nBe brief."}"#;
    let other = r#"{"description": "Plans.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}, "prompt": "Plan: {city}"}"#;
    vec![
        server("fs", Some(r#"{"command": "mcp-fs", "args": ["--root", "."], "env": {"A": "1"}}"#)),
        server("fs", Some(r#"{"command": "mcp-fs", "args": ["--root", "/tmp"], "env": {"B": "2"}}"#)),
        server("git", Some(r#"{"url": "https://git.example/mcp", "type": "http"}"#)),
        server("bad", Some(r#"{"args": []}"#)),
        server("bad", Some("7")),
        AgentChange::Include { scope: PermissionTarget::Server("fs".to_owned()), include: InclusionMode::Manual },
        AgentChange::Include { scope: tool("read"), include: InclusionMode::Agent },
        AgentChange::Include { scope: tool("read"), include: InclusionMode::Always },
        AgentChange::Include { scope: tool("read"), include: InclusionMode::Always },
        AgentChange::Include { scope: PermissionTarget::Own("nothing".to_owned()), include: InclusionMode::Agent },
        server("git", None),
        server("fs", None),
        server("fs", None),
        export("plan", Some(plan)),
        export("plan", Some(other)),
        export("second", Some(other)),
        export("broken", Some(r#"{"description": "x", "prompt": "In {nowhere}"}"#)),
        export("plan", None),
        export("second", None),
        export("second", None),
    ]
}

/// Providers, each under both of its names.
fn providers() -> Vec<AgentChange> {
    let provider = |id: &str, entry: Option<&str>| AgentChange::Provider { id: id.to_owned(), entry: entry.map(json) };
    vec![
        provider("openai", Some("{}")),
        provider("openai", Some(r#"{"OPENAI_API_KEY": "env://TEAM_KEY", "headers": {"X-Team": "a"}, "rpm": 9}"#)),
        provider("openai", Some(r#"{"OPENAI_API_KEY": "env://OTHER_KEY", "rpm": 9}"#)),
        provider("anthropic", Some(r#"{"api_key": "literal # not a comment"}"#)),
        provider("house", Some(r#"{"base_url": "http://127.0.0.1:9/v1"}"#)),
        provider("nobody", Some("{}")),
        provider("openai", Some(r#"{"api_key": "op://vault/item/key"}"#)),
        provider("openai", Some(r#"{"colour": "red"}"#)),
        provider("openai", Some("7")),
        provider("claude", None),
        provider("openai", None),
        provider("openai", None),
    ]
}

/// All files in their final state.
pub(crate) fn final_files(files: &Files) -> String {
    files.iter().map(|(path, bytes)| format!("== {path}\n{}", std::str::from_utf8(bytes).unwrap())).collect()
}

fn items() -> Vec<AgentChange> {
    vec![
        update(Rule, draft("tone").priority(20)),
        update(Rule, draft("tone").text("Be kind.\n\n# Always\nTo all.")),
        update(Rule, draft("tone").text("Be brief: always.").about("How to speak").include(InclusionMode::Always)),
        create(Rule, "new-one", "Say so."),
        create(Reference, "fees", "Berths cost:\n- 7 a night\n- 40 a week"),
        create(Reference, "map", "North is up."),
        update(Reference, draft("fees").text("All is free.").priority(0)),
        remove(Reference, "map"),
        remove(Reference, "fees"),
        remove(Rule, "tone"),
        AgentChange::Prompt("You are another.\n\nTruly.".to_owned()),
    ]
}

#[test]
fn native_file_keeps_comments_and_order() {
    let mut files = files(&[
        (
            "agent.yaml",
            "# The harbour's agent.\nname: test # me\n\nsettings: # limits\n  max_turns: 5 # few\n\nrules:\n# house rules\n- name: \
             tone\n  text: |\n    Be brief.\n    # not a comment\n  priority: 10 # early\n\n# the end\n",
        ),
        ("prompt.md", "You are a test.\n"),
    ]);
    let all = [items(), settings_and_card(), tools(), providers()];
    let told = all.map(|changes| story(&mut files, &changes)).concat();
    insta::assert_snapshot!(format!("{told}\n{}", final_files(&files)));
    assert!(parse(&files, "/agents/test").agent.is_some());
}

#[test]
fn foreign_single_file_keeps_comments_and_unknown_keys() {
    let mut files = files(&[(
        "tsagent.yaml",
        "metadata:\n  name: Test # seen by people\n  version: 1.0.0\n  mood: good # nobody knows why\n  created: \
         2025-04-07T17:32:29.081Z\nsettings:\n  maxChatTurns: 20\n  theme: dark\nsystemPrompt: |\n  You are a test.\n  # and \
         more\nrules:\n  # house rules\n  - name: tone\n    description: ''\n    priorityLevel: 500\n    text: Be brief.\n    \
         include: manual\n    embeddings: # delete when editing\n      - [0.1, 0.2,\n         0.3]\n      - [1]\n  # the other\n  - \
         embeddings: [[1, 2]]\n    name: other\n    text: >-\n      Folded\n      words.\nreferences: []\nproviders:\n  claude: {}\n",
    )]);
    let mut told = story(&mut files, &items());
    told += &story(&mut files, &[update(Rule, draft("other").text("Unfolded.")), remove(Rule, "new-one")]);
    told += &story(&mut files, &settings_and_card());
    told += &story(&mut files, &tools());
    told += &story(&mut files, &providers());
    insta::assert_snapshot!(format!("{told}\n{}", final_files(&files)));
    assert!(parse(&files, "/agents/test").agent.is_some());
}

#[test]
fn first_format_keeps_text_numbers_and_unknown_keys() {
    let mut files = files(&[
        (
            "tspark.json",
            "{\n  // Ours.\n  \"metadata\": {\"name\": \"Test\", \"mood\": \"good\"},\n  \"settings\": {\n    \"maxChatTurns\": \
             \"20\", // many\n    \"temperature\": \"0.250\",\n    \"mostRecentModel\": \"openai:gpt\"\n  },\n  \"mcpServers\": \
             {},\n  \"x-team\": [1, 2]\n}\n",
        ),
        ("prompt.md", "You are a test.\n"),
        ("rules/tone.mdt", "---\n{\"name\":\"tone\",\"enabled\":true}---\nBe brief.\n"),
    ]);
    let all = [items(), settings_and_card(), tools(), providers()];
    let told = all.map(|changes| story(&mut files, &changes)).concat();
    insta::assert_snapshot!(format!("{told}\n{}", final_files(&files)));
    assert!(parse(&files, "/agents/test").agent.is_some());
}

/// Permissions in a foreign single file are written next to its servers in the format of that program.
#[test]
fn permissions_in_a_foreign_single_file() {
    let text = "metadata: {name: Test}\nmcpServers:\n  fs: # files\n    command: mcp-fs\n    toolPermissionRequired: {serverDefault: true, \
                tools: {read: true}}\n";
    let files = files(&[("tsagent.yaml", text)]);
    let scope = PermissionTarget::Tool(McpTool { server: "fs".to_owned(), tool: "read".to_owned() });
    let change = PermissionChange { target: scope, permission: Some(Permission::Allow), disabled: None };
    let edited = edit(&files, "/agents/test", &change).unwrap();
    assert_eq!(edited.after.permission, Permission::Allow);
    let expected = text.replace("{read: true}}", "{read: false}}")
        + "    tools:\n      read:\n        permissionRequired: false\n";
    assert_eq!(edited.text, expected);
}

/// One rule of each foreign agent is changed: every line outside of that rule is unchanged.
#[test]
fn teamspark_03_changed_rule_changes_nothing_else() {
    let first = (crate::teamspark::first_format(), "safety");
    let single = |file: &str, rule| (crate::teamspark::single(file), rule);
    let agents =
        [first, single("librarian.yaml", "quote"), single("learner.yaml", "learn"), single("clerk.yaml", "stamp")];
    let mut told = String::new();
    for (mut files, rule) in agents {
        let (before, old) = (files.clone(), parse(&files, "/agents/test").agent.unwrap());
        let changes = [update(Rule, draft(rule).text("Other words.\nOf two lines.").about("New"))];
        let shown = story(&mut files, &changes);
        let vectors = |line: &&str| !line.trim_start_matches('-').trim_start().starts_with(['[', '-', '0']);
        told.extend(shown.lines().filter(vectors).map(|line| format!("{line}\n")));
        let mut new = parse(&files, "/agents/test").agent.unwrap();
        let changed = new.knowledge.rules.iter_mut().find(|item| item.name == rule).unwrap();
        assert_eq!(changed.text.trim(), "Other words.\nOf two lines.");
        let was = old.knowledge.rules.iter().find(|item| item.name == rule).unwrap();
        (changed.text, changed.description) = (was.text.clone(), was.description.clone());
        assert_eq!(new, old);
        let same = before.iter().filter(|(path, bytes)| files.get(*path) == Some(bytes)).count();
        assert_eq!(same + 1, before.len(), "{rule}");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn invalid_agent_is_not_changed() {
    let broken = files(&[("agent.yaml", "name: test\ntypo: 1\n"), ("prompt.md", "You are a test.\n")]);
    let refused = amend(&broken, &AgentChange::Prompt("x".to_owned()));
    assert!(matches!(refused, Err(EditError::Invalid(_))), "{refused:?}");
}
