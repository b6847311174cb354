//! TeamSpark agents of every generation.

use super::{parse_files, shown};
use baton_agentdir::{Format, ParsedAgent, parse};
use baton_types::{InclusionMode, ModelSpec, Thousandths};
use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

type Files = BTreeMap<String, Vec<u8>>;

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// All files of the fixture directory and its known subdirectories.
pub(crate) fn first_format() -> Files {
    let root = fixtures().join("first");
    let mut files = Files::new();
    for directory in ["", "rules/", "refs/", "references/"] {
        for entry in fs::read_dir(root.join(directory)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                let name = entry.file_name().into_string().unwrap();
                files.insert(format!("{directory}{name}"), fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

/// A file of the newest format, with a realistic number of vectors.
pub(crate) fn single(name: &str) -> Files {
    let text = fs::read_to_string(fixtures().join("single").join(name)).unwrap();
    let numbers: Vec<String> = (0..384).map(|n| format!("{:.17}", (f64::from(n) - 191.5) / 200.0)).collect();
    let vector = format!("[{}]", numbers.join(", "));
    let text = text.replace("[VECTORS]", &vec![vector; 200].join("\n      - "));
    Files::from([(name.to_owned(), text.into_bytes())])
}

fn describe_agent(parsed: &ParsedAgent) -> String {
    let mut all = shown(parsed);
    let Some(agent) = &parsed.agent else { return all };
    let _ = write!(all, "\n\n{}\n", serde_json::to_string_pretty(&serde_json::to_value(agent).unwrap()).unwrap());
    for server in &parsed.resources.servers {
        let _ = writeln!(all, "{server:?}");
    }
    for export in &parsed.resources.exports {
        let _ = writeln!(all, "{} {:?} {}", export.name, export.prompt, export.parameters.as_str());
    }
    all
}

#[test]
fn teamspark_01_first_format_has_text_numbers_and_a_model() {
    let parsed = parse(&first_format(), "/agents/harbour");
    let agent = parsed.agent.as_ref().expect("an agent");
    assert_eq!((agent.name.as_str(), agent.title.as_str()), ("harbour-guide", "Harbour Guide"));
    assert_eq!(agent.limits.max_turns, 12);
    assert_eq!(agent.writing.max_output_tokens, Some(750));
    assert_eq!(agent.writing.temperature, Some(Thousandths(250)));
    assert_eq!(agent.writing.model.as_deref(), Some("claude:claude-3-7-sonnet-20250219"));
    assert!(agent.autonomous, "an agent with skills is autonomous");
    assert!(matches!(agent.model, ModelSpec::Playbook { rules: None }));
    let names = |items: &[baton_types::ContextItem]| {
        items.iter().map(|item| (item.name.clone(), item.priority, item.include)).collect::<Vec<_>>()
    };
    let item = |name: &str, priority, include| (name.to_owned(), priority, include);
    let rules = [item("tone", 0, InclusionMode::Manual), item("safety", 900, InclusionMode::Always)];
    assert_eq!(names(&agent.knowledge.rules), rules);
    let references = [item("berths", 100, InclusionMode::Agent), item("fees", 500, InclusionMode::Manual)];
    assert_eq!(names(&agent.knowledge.references), references);
    insta::assert_snapshot!(describe_agent(&parsed));
}

#[test]
fn teamspark_01_second_format_is_the_first_with_a_new_name() {
    let mut files = first_format();
    let first = parse(&files, "/agents/harbour").agent.unwrap();
    let json = files.remove("tspark.json").unwrap();
    files.insert("tsagent.json".to_owned(), json);
    assert_eq!(Format::detect(&files), Some(Format::TsagentJson));
    let second = parse(&files, "/agents/harbour").agent.unwrap();
    // In the second format, skills do not imply autonomy.
    assert_eq!((first.autonomous, second.autonomous), (true, false));
    assert_eq!(baton_types::AgentSpec { autonomous: true, ..second }, first);
}

/// The agents shipped with TeamSpark cannot be redistributed: these five have the same keys, structure and size.
#[test]
fn teamspark_02_single_files_load_with_a_megabyte_of_vectors() {
    let mut all = String::new();
    for name in ["clerk.yaml", "learner.yaml", "librarian.yaml", "tool-finder.yaml", "trip-desk.yml"] {
        let files = single(name);
        assert_eq!(Format::detect_file(&files), Some((Format::Tsagent, name)));
        let _ = writeln!(all, "# {name}\n{}\n", describe_agent(&parse(&files, "/agents/single")));
    }
    insta::assert_snapshot!(all);
    let large = single("librarian.yaml");
    assert!(large["librarian.yaml"].len() > 1 << 20, "{}", large["librarian.yaml"].len());
    let small = String::from_utf8(large["librarian.yaml"].clone()).unwrap();
    let small: String = small.lines().filter(|line| !line.contains("0.95")).map(|line| format!("{line}\n")).collect();
    assert!(small.len() < 4096);
    let small = Files::from([("librarian.yaml".to_owned(), small.into_bytes())]);
    assert_eq!(parse(&large, "/a").agent.expect("an agent"), parse(&small, "/a").agent.expect("an agent"));
    let json = format!(
        r#"{{"metadata": {{"name": "J"}}, "mcpServers": {{"s": {{"command": "c", "tools": {{"t": {{"embeddings": [{}]}}}}}}}}}}"#,
        vec!["[0.5, 1e-3, -7]"; 100_000].join(", ")
    );
    assert_eq!(shown(&parse_files(&[("tsagent.json", json.as_bytes())])), "\nagent: yes");
}

#[test]
fn teamspark_04_front_matter_is_read_and_broken_files_are_skipped() {
    let json: &[u8] = br#"{"metadata": {"name": "A"}}"#;
    let parsed = parse_files(&[
        ("tspark.json", json),
        ("rules/a-yaml.mdt", b"---\nname: yaml\ndescription: in YAML\npriorityLevel: 10\n---\nText.\n\n---\n\nmore\n"),
        (
            "rules/b-json.mdt",
            b"---\n{\"name\":\"json\",\"description\":\"in JSON\",\"priorityLevel\":\"20\"}---\nText.\n---\nmore",
        ),
        ("rules/c-lines.mdt", b"---\r\n{\"name\": \"lines\",\r\n \"priorityLevel\": 30}\r\n---\r\nText.\r\n"),
        ("rules/nameless.mdt", b"---\npriorityLevel: 0\n---\nText."),
        ("rules/plain.mdt", b"Only text."),
        ("rules/open.mdt", b"---\nname: never closed\n"),
        ("rules/high.mdt", b"---\npriorityLevel: 70000\n---\nx"),
        ("rules/broken.mdt", b"---\nname: [\n---\ntext"),
        ("rules/mode.mdt", b"---\ninclude: sometimes\n---\ntext"),
        ("rules/latin.mdt", b"\xff"),
        ("rules/twice.mdt", b"---\nname: yaml\n---\nx"),
        ("rules/data.json", b"{}"),
        ("refs/here.mdt", b"in refs"),
        ("references/there.md", b"in references"),
    ]);
    let mut all = shown(&parsed);
    let agent = parsed.agent.expect("an agent");
    for item in agent.knowledge.rules.iter().chain(&agent.knowledge.references) {
        let _ =
            write!(all, "\n{} {} {:?} {:?} {:?}", item.priority, item.name, item.include, item.description, item.text);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn permission_settings_of_every_generation() {
    let server = |words: &str| {
        let json = format!(r#"{{"metadata": {{"name": "A"}}, "mcpServers": {{"s": {{"command": "c", {words}}}}}}}"#);
        let parsed = parse_files(&[("tspark.json", json.as_bytes())]);
        assert_eq!(shown(&parsed), "\nagent: yes", "{json}");
        let server = &parsed.resources.servers[0];
        let rules: Vec<String> =
            server.permissions.rules.iter().map(|rule| format!("{} {:?}", rule.tool, rule.permission)).collect();
        format!("{:?} {rules:?} {:?} {:?}", server.permissions.default, server.modes, server.exclude)
    };
    let mut all = String::new();
    for words in [
        r#""args": []"#,
        r#""permissions": {"defaultPermission": "not_required"}"#,
        r#""permissions": {"defaultPermission": "required", "toolPermissions": {"a": {"permission": "not_required"}, "b": {"permission": "server_default"}}}"#,
        r#""toolEnabled": {"serverDefault": true, "tools": {"a": false}}"#,
        r#""toolPermissionRequired": {"serverDefault": false, "tools": {"a": true}}"#,
        r#""toolInclude": {"serverDefault": "agent", "tools": {"a": "always"}}"#,
        r#""serverToolDefaults": {"permissionRequired": false, "include": "manual"}, "tools": {"a": {"permissionRequired": true, "include": "always"}}"#,
        // The newer settings take precedence.
        r#""serverToolDefaults": {"permissionRequired": true, "include": "always"}, "tools": {"a": {"permissionRequired": false, "include": "agent"}},
           "toolPermissionRequired": {"serverDefault": false, "tools": {"a": true, "b": false}}, "toolInclude": {"serverDefault": "agent", "tools": {"a": "manual", "b": "manual"}}"#,
    ] {
        let _ = writeln!(all, "{words}\n  {}", server(words));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn agent_file_is_detected() {
    for (files, expect) in [
        (&[("agent.yaml", "name: a")][..], Some((Format::Native, "agent.yaml"))),
        (&[("agent.yaml", "metadata:\n  name: A\n")], Some((Format::Tsagent, "agent.yaml"))),
        (&[("agent.yaml", "name: a\nmetadata: {}\n")], Some((Format::Native, "agent.yaml"))),
        (
            &[("agent.yaml", "name: a"), ("tspark.json", "{}"), ("tsagent.yaml", "")],
            Some((Format::Native, "agent.yaml")),
        ),
        (&[("tsagent.yml", ""), ("tsagent.json", "{}")], Some((Format::Tsagent, "tsagent.yml"))),
        (&[("tspark.json", "{}"), ("tsagent.json", "{}")], Some((Format::TsagentJson, "tsagent.json"))),
        (&[("tspark.json", "{}"), ("prompt.md", "")], Some((Format::Tspark, "tspark.json"))),
        (&[("a.yaml", "x: 1"), ("bob.yml", "# A\nmetadata: {name: B}")], Some((Format::Tsagent, "bob.yml"))),
        (&[("playbook.yaml", "metadata: {}"), ("sub/bob.yaml", "metadata: {}"), ("mcp.json", "{}")], None),
    ] {
        let files: Files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        assert_eq!(Format::detect_file(&files), expect, "{:?}", files.keys());
    }
}

#[test]
fn unusable_parts_are_reported_with_position() {
    let mut all = String::new();
    for (what, file, text) in [
        ("not JSON", "tspark.json", "{\n  \"metadata\": {\n"),
        ("not YAML", "bob.yaml", "metadata:\n  name: [\n"),
        ("not a map", "tsagent.yaml", "- a\n"),
        ("nothing", "tsagent.yaml", ""),
        ("no name", "tsagent.yaml", "metadata:\n  description: x\n"),
        ("an empty name", "tspark.json", "{\"metadata\": {\"name\": \" \"}}"),
        ("a name that is a list", "tsagent.yaml", "metadata: { name: [a] }"),
        (
            "many things",
            "tsagent.yaml",
            r#"metadata:
  name: Odd
  autonomous: perhaps
  skils: []
  provider: x
  skills: [{}, 7, {id: a}, {id: a}]
  tools: [{name: t}, {name: u, prompt: p, parameters: []}, {name: handoff, prompt: p}]
settings:
  maxChatTurns: 0
  maxOutputTokens: lots
  temperature: 7
  topP: [1]
  toolPermission: sometimes
  contextTopK: "20.0"
  contextTopN: 2.5
  model: gpt
providers: {openai: {}, acme: {}}
rules:
  - text: nameless
  - {name: no-text}
  - {name: a, text: first, priorityLevel: -1}
  - {name: a, text: second}
  - {name: "../x", text: third}
  - {name: b, text: fourth, include: sometimes}
  - just text
references: {}
supervisors: [{type: guardian}]
mcpServers: {s: {command: 7}, t: {url: "not an address"}}
more: 1
"#,
        ),
    ] {
        let _ = writeln!(all, "# {what}\n{}\n", shown(&parse_files(&[(file, text.as_bytes())])));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn prompt_and_playbook_of_a_directory() {
    let json: &[u8] = br#"{"metadata": {"name": "A"}, "systemPrompt": "In the file.  "}"#;
    let bare: &[u8] = br#"{"metadata": {"name": "A"}}"#;
    let prompt = |files: &[(&str, &[u8])]| parse_files(files).agent.expect("an agent").prompt;
    assert_eq!(prompt(&[("tsagent.json", json), ("prompt.md", b"Beside.")]), "In the file.");
    assert_eq!(prompt(&[("tsagent.json", bare), ("prompt.md", b"Beside.\n")]), "Beside.");
    assert!(prompt(&[("tsagent.json", bare), ("prompt.md", b" \n")]).starts_with("You are"));
    assert!(prompt(&[("tsagent.json", bare)]).starts_with("You are"));
    let yaml: &[u8] = b"metadata: { name: A }";
    // Files left over by a migration are not part of the newer format.
    assert!(prompt(&[("tsagent.yaml", yaml), ("prompt.md", b"Beside.")]).starts_with("You are"));
    let parsed = parse_files(&[("tsagent.yaml", yaml), ("rules/old.mdt", b"x"), ("playbook.yaml", b"rules: []")]);
    let agent = parsed.agent.expect("an agent");
    assert_eq!(agent.knowledge.rules, []);
    assert!(matches!(agent.model, ModelSpec::Playbook { rules: Some(_) }));
}
