//! The published JSON Schema agrees with the parser.

use super::{parse_yaml, shown};
use baton_agentdir::schema;
use regex::Regex;
use serde_json::Value;
use std::{fs, path::Path};

/// Validates with the few JSON Schema keywords that the schema uses; `None` if the value is valid.
fn schema_error(schema: &Value, value: &Value, path: &str) -> Option<String> {
    let all = |key: &str| schema.get(key).and_then(Value::as_array);
    let fits = |schema: &Value| schema_error(schema, value, path).is_none();
    let object = schema.as_object().expect("a schema");
    const KNOWN: [&str; 23] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "minimum",
        "maximum",
        "pattern",
        "minLength",
        "maxLength",
        "oneOf",
        "anyOf",
        "not",
        "minItems",
        "maxItems",
        "maxProperties",
        "description",
        "default",
        "title",
        "$schema",
        "format",
    ];
    assert!(object.keys().all(|key| KNOWN.contains(&key.as_str())), "{path}: {:?}", object.keys());
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    match &schema["type"] {
        Value::Null => {}
        Value::Array(kinds) if kinds.iter().any(is_kind) => {}
        wanted if is_kind(wanted) => {}
        wanted => return Some(format!("{path} is {kind}, not {wanted}")),
    }
    if all("enum").is_some_and(|words| !words.contains(value)) || schema.get("const").is_some_and(|word| word != value)
    {
        return Some(format!("{path} is none of the words"));
    }
    if all("oneOf").is_some_and(|all| all.iter().filter(|one| fits(one)).count() != 1)
        || all("anyOf").is_some_and(|all| !all.iter().any(fits))
        || schema.get("not").is_some_and(fits)
    {
        return Some(format!("{path} fits none or too many"));
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(given) = value.as_f64()
        && (number("minimum").is_some_and(|low| given < low) || number("maximum").is_some_and(|high| given > high))
    {
        return Some(format!("{path} is out of bounds"));
    }
    if let (Some(pattern), Some(text)) = (schema.get("pattern").and_then(Value::as_str), value.as_str())
        && !Regex::new(pattern).expect("a pattern").is_match(text)
    {
        return Some(format!("{path} does not look like {pattern}"));
    }
    if let Some(length) = value.as_str().map(|text| text.chars().count() as f64)
        && (number("minLength").is_some_and(|low| length < low)
            || number("maxLength").is_some_and(|high| length > high))
    {
        return Some(format!("{path} has {length} characters"));
    }
    if let Some(entries) = value.as_array() {
        let count = entries.len() as f64;
        if number("minItems").is_some_and(|low| count < low) || number("maxItems").is_some_and(|high| count > high) {
            return Some(format!("{path} has {count} entries"));
        }
        let items = schema.get("items")?;
        return entries.iter().enumerate().find_map(|(at, entry)| schema_error(items, entry, &format!("{path}/{at}")));
    }
    let entries = value.as_object()?;
    if let Some(missing) =
        all("required").into_iter().flatten().find(|key| !entries.contains_key(key.as_str().unwrap_or_default()))
    {
        return Some(format!("{path} has no {missing}"));
    }
    entries.iter().find_map(|(key, entry)| {
        let path = format!("{path}/{key}");
        match (schema["properties"].get(key), &schema["additionalProperties"]) {
            (Some(schema), _) => schema_error(schema, entry, &path),
            (None, Value::Bool(false)) => Some(format!("{path} is unknown")),
            (None, Value::Object(_)) => schema_error(&schema["additionalProperties"], entry, &path),
            (None, _) => None,
        }
    })
}

fn validate_yaml(yaml: &str) -> Option<String> {
    let value: Value = serde_saphyr::from_str(yaml).expect("YAML");
    schema_error(&schema(), &value, "")
}

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn published_schema_is_current() {
    let path = repository().join("docs/agent.schema.json");
    let text = format!("{:#}\n", schema());
    if std::env::var_os("BATON_WRITE_SCHEMA").is_some() {
        fs::write(&path, &text).expect("the file can be written");
    }
    let published = fs::read_to_string(path).expect("docs/agent.schema.json exists");
    assert_eq!(published, text, "run the test with BATON_WRITE_SCHEMA=1 and commit the file");
}

#[test]
fn schema_accepts_examples_and_documented_agents() {
    let mut seen = 0;
    for entry in fs::read_dir(repository().join("examples")).unwrap().map(Result::unwrap) {
        let Ok(yaml) = fs::read_to_string(entry.path().join("agent.yaml")) else { continue };
        assert_eq!(validate_yaml(&yaml), None, "{:?}", entry.path());
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
    let scaffold = &baton_agentdir::scaffold("my-agent")["agent.yaml"];
    assert_eq!(validate_yaml(scaffold), None);
    for page in ["agent-directory.md", "mcp-servers.md"] {
        let page = fs::read_to_string(repository().join("docs").join(page)).unwrap();
        let yaml = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let yaml = if yaml.starts_with("name:") { yaml.to_owned() } else { format!("name: a\n{yaml}") };
        assert_eq!(validate_yaml(&yaml), None, "{yaml}");
    }
}

/// Each of these is an error of the parser and of the schema; without it both accept the file.
#[test]
fn schema_rejects_the_errors_that_the_parser_rejects() {
    assert_eq!((validate_yaml("name: a"), shown(&parse_yaml("name: a"))), (None, "\nagent: yes".to_owned()));
    for mistake in [
        "titel: x",
        "title: 7",
        "version: 1.0",
        "model: gpt-9",
        "input_modes: []",
        "input_modes: plain",
        "input_modes: [plain]",
        "provider: { url: \"https://a.example\" }",
        "icon_url: picture.png",
        "settings: { max_turns: 0 }",
        "settings: { max_turns: 1001 }",
        "settings: { parallel_tools: many }",
        "settings: { deadline: 30 }",
        "settings: { deadline: 3 weeks }",
        "settings: { tools: nobody }",
        "settings: { tool_permission: sometimes }",
        "settings: { control_tools: [ask_usr] }",
        "settings: { colour: blue }",
        "settings: { orchestration: 7 }",
        "settings: { temperature: 3 }",
        "settings: { top_p: much }",
        "settings: { max_output_tokens: 0 }",
        "settings: { context: { top_k: 0 } }",
        "settings: { context: { include_score: 1.5 } }",
        "settings: { context: { top_m: 3 } }",
        "skills: [{ name: no id }]",
        "skills: [{ id: a, tags: sunny }]",
        "rules: [{ name: two words, text: x }]",
        "rules: [{ name: no-text }]",
        "rules: [{ name: empty, text: ' ' }]",
        "rules: [{ name: a, text: x, priority: 1000 }]",
        "references: [{ name: a, text: x, include: sometimes }]",
        "references: text",
        "tools: [{ name: handoff, description: d, command: [ls] }]",
        "tools: [{ name: get weather, description: d, command: [ls] }]",
        "tools: [{ name: a, description: d, command: ls }]",
        "tools: [{ name: a, description: d }]",
        "tools: [{ name: a, description: d, command: [ls], http: { url: \"https://a.example\" } }]",
        "tools: [{ name: a, description: d, command: [ls], timeout: 3 weeks }]",
        "tools: [{ name: a, description: d, command: [ls], max_output: 1XB }]",
        "tools: [{ name: a, description: d, command: [ls], effects: none }]",
        "tools: [{ name: a, description: d, command: [ls], parameters: { type: string } }]",
        "tools: [{ name: a, description: d, command: [ls], include: sometimes }]",
        "tools: [{ name: a, description: d, command: [ls], arguments: [{ path: /a, glob: x }] }]",
        "tools: [{ name: a, description: d, http: { method: FLY, url: \"https://a.example\" } }]",
        "exports: [{ name: a, description: d }]",
        "permissions: [{ tool: read }]",
        "permissions: [{ permission: ask }]",
        "permissions: [{ tool: read, permission: ask, arguments: [] }]",
        "permissions: [{ tool: read, permission: ask, arguments: [{ path: a, glob: x }] }]",
        "handoffs: [{ description: nobody }]",
        "handoffs: [7]",
        "enable_handoff: \"no\"",
        "autonomous: perhaps",
        "mcpServers: [a]",
        "mcpServers: { s: { command: c, era: old } }",
        "mcpServers: { s: { command: c, prefix: \"a b\" } }",
        "mcpServers: { s: { command: c, permissions: { default: never } } }",
        "mcpServers: { s: { command: c, timeouts: { startup: 5 } } }",
        "mcpServers: { s: { command: c, expose: { only: [a] } } }",
    ] {
        let yaml = format!("name: a\n{mistake}");
        assert!(parse_yaml(&yaml).agent.is_none(), "the parser accepts {mistake}");
        assert!(validate_yaml(&yaml).is_some(), "the schema accepts {mistake}");
    }
    for name in ["Weather", "-a", "a-", "tasks", "a b"] {
        assert!(validate_yaml(&format!("name: {name}")).is_some(), "{name}");
    }
    assert!(validate_yaml("title: x").is_some());
}
