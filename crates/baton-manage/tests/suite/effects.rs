//! Every way in which a definition can start a program, read a variable or a file, or connect to an address.

use baton_agentdir::parse_anywhere;
use baton_api::{CreateAgent, error_codes};
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_manage::{ManageRole, Manager};
use baton_rules::{DefinitionEffects, ValueSource};
use std::{collections::BTreeMap, sync::Arc};

pub(crate) type Files = BTreeMap<String, String>;

/// The formats in which a server or a provider can be written.
const FORMS: [&str; 4] = ["native", "tspark", "tsagent-json", "tsagent"];

pub(crate) fn files<const N: usize>(files: [(&str, &str); N]) -> Files {
    files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// A native agent with these lines in `agent.yaml`.
pub(crate) fn native(lines: &str) -> Files {
    files([("agent.yaml", &format!("name: bob\ndescription: Helps.\n{lines}\n")), ("prompt.md", "Be kind.\n")])
}

/// An agent in the format with these members, given as JSON, which is also YAML.
fn in_format(form: &str, members: &str) -> Files {
    let foreign = format!(r#"{{"metadata": {{"name": "bob"}}, {members}}}"#);
    match form {
        "native" => {
            native(&members.replacen("\"mcpServers\"", "mcp_servers", 1).replacen("\"providers\"", "providers", 1))
        }
        "tspark" => files([("tspark.json", foreign.as_str()), ("prompt.md", "Be kind.\n")]),
        "tsagent-json" => files([("tsagent.json", foreign.as_str()), ("prompt.md", "Be kind.\n")]),
        _ => files([("tsagent.yaml", &format!("metadata: {{\"name\": \"bob\"}}\n{members}\n"))]),
    }
}

fn effects(files: &Files) -> DefinitionEffects {
    let bytes = files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let parsed = parse_anywhere(&bytes);
    let agent = parsed.agent.unwrap_or_else(|| panic!("{files:?}: {:?}", parsed.diagnostics));
    DefinitionEffects::from_definition(&agent, &parsed.resources)
}

pub(crate) fn manager() -> Manager {
    let storage = Arc::new(MemoryStorage::new());
    Manager::new(Arc::new(DirectoryAgents::open_with(&[], vec![storage], None)))
}

pub(crate) fn create_request(files: &Files) -> CreateAgent {
    CreateAgent { files: Some(files.clone()), ..CreateAgent::default() }
}

/// Checks that an administrator is denied and the owner is not. Programs need a directory to run in.
async fn assert_needs_owner(files: &Files) {
    let folder = tempfile::tempdir().unwrap();
    let manager = Manager::new(Arc::new(DirectoryAgents::open(&[folder.path().to_owned()], None)));
    let refused = manager.create(create_request(files), ManageRole::Administrator).await.unwrap_err();
    assert_eq!(refused.code, error_codes::SCOPE_MISSING, "{files:?}: {refused}");
    manager.create(create_request(files), ManageRole::Owner).await.unwrap_or_else(|error| panic!("{files:?}: {error}"));
}

fn with(mut all: Files, path: &str, text: &str) -> Files {
    all.insert(path.to_owned(), text.to_owned());
    all
}

fn program_starts() -> Vec<(String, Files)> {
    let tool = "tools:\n  - { name: t, description: Runs., command: [sh, -c, id], parameters: { type: object } }";
    let guard = |stage: &str| format!("guardrails:\n  - {{ name: g, on: [{stage}], command: [sh, -c, id] }}");
    let mut all = vec![
        ("a tool".to_owned(), native(tool)),
        ("a guardrail on input".to_owned(), native(&guard("input"))),
        ("a guardrail on output".to_owned(), native(&guard("output"))),
        ("a guardrail on calls".to_owned(), native(&guard("tool_call"))),
        ("a guardrail on results".to_owned(), native(&guard("tool_result"))),
    ];
    let server = r#""mcpServers": {"s": {"command": "sh", "args": ["-c", "id"]}}"#;
    let off = r#""mcpServers": {"s": {"type": "stdio", "command": "sh", "enabled": false}}"#;
    for form in FORMS {
        all.push((format!("a server of {form}"), in_format(form, server)));
    }
    all.push(("a server that is off".to_owned(), in_format("native", off)));
    for path in ["mcp.json", ".mcp.json", "tspark.json"] {
        all.push((format!("a server in {path}"), with(native(""), path, &format!("{{{server}}}"))));
    }
    all
}

#[tokio::test]
async fn each_program_start_is_reported_and_needs_the_owner() {
    for (way, files) in program_starts() {
        assert_eq!(effects(&files).programs.len(), 1, "{way}");
        assert_needs_owner(&files).await;
    }
}

/// Servers and providers that read a value, and whether it comes from a file.
const READS: [(&str, bool); 17] = [
    (r#""mcpServers": {"s": {"command": "x", "args": ["${SECRET}"]}}"#, false),
    (r#""mcpServers": {"s": {"command": "${SECRET}"}}"#, false),
    (r#""mcpServers": {"s": {"command": "x", "env": {"A": "env://SECRET"}}}"#, false),
    (r#""mcpServers": {"s": {"command": "x", "env_vars": ["SECRET"]}}"#, false),
    (r#""mcpServers": {"s": {"command": "x", "envFile": "/etc/secrets"}}"#, true),
    (r#""mcpServers": {"s": {"command": "x", "cwd": "${SECRET}"}}"#, false),
    (r#""mcpServers": {"s": {"type": "http", "url": "https://a.example/${SECRET}"}}"#, false),
    (r#""mcpServers": {"s": {"type": "sse", "url": "https://a.example/${env:SECRET}"}}"#, false),
    (r#""mcpServers": {"s": {"url": "${SECRET}"}}"#, false),
    (r#""mcpServers": {"s": {"url": "https://a.example", "headers": {"A": "Bearer \u0065nv://SECRET"}}}"#, false),
    (r#""mcpServers": {"s": {"url": "https://a.example", "headers": {"A": "\u0024{SECRET}"}}}"#, false),
    (r#""mcpServers": {"s": {"url": "https://a.example", "env_http_headers": {"A": "SECRET"}}}"#, false),
    (r#""mcpServers": {"s": {"url": "https://a.example", "\u0062earer_token_env_var": "SECRET"}}"#, false),
    (
        r#""mcpServers": {"s": {"url": "https://a.example", "oauth": {"client_id": "c", "client_secret": "${SECRET}"}}}"#,
        false,
    ),
    (r#""providers": {"openai": {"OPENAI_API_KEY": "\u0065nv://SECRET"}}"#, false),
    (r#""providers": {"openai": {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "env://SECRET"}}"#, false),
    (r#""providers": {"bedrock": {"\u0041WS_PROFILE": "work"}}"#, true),
];

#[tokio::test]
async fn each_variable_or_file_read_is_reported_and_needs_the_owner() {
    let mut all: Vec<(Files, bool)> = Vec::new();
    for form in FORMS {
        all.extend(READS.iter().map(|(members, is_file)| (in_format(form, members), *is_file)));
    }
    let tool = |header: &str| {
        native(&format!(
            "tools:\n  - {{ name: t, description: Asks., parameters: {{ type: object }}, http: {{ url: \
             \"https://a.example\", headers: {{ A: {header} }} }} }}"
        ))
    };
    let guard = |header: &str| {
        native(&format!(
            "guardrails:\n  - {{ name: g, on: [input], http: {{ url: \"https://a.example\", headers: {{ A: {header} }} }} }}"
        ))
    };
    // Escapes that YAML decodes and a text search misses.
    for header in ["\"env://SECRET\"", r#""\x65nv://SECRET""#, r#""\u0065nv://SECRET""#, r#""Bearer env\x3a//SECRET""#]
    {
        all.extend([(tool(header), false), (guard(header), false)]);
    }
    all.push((
        native("providers: { mine: { base_url: \"https://a.example\", headers: { A: \"\\x65nv://SECRET\" } } }"),
        false,
    ));
    all.push((with(native(""), ".env", "AWS_PROFILE=work\n"), true));
    for (files, is_file) in all {
        let wanted = if is_file { ValueSource::MachineFile } else { ValueSource::Variable };
        let effects = effects(&files);
        assert!(effects.values.iter().any(|value| value.source == wanted), "{files:?}: {effects:?}");
        assert_needs_owner(&files).await;
    }
}

#[tokio::test]
async fn addresses_are_reported_and_administrators_may_add_them() {
    let mut all: Vec<Files> = Vec::new();
    for form in FORMS {
        all.push(in_format(form, r#""mcpServers": {"s": {"url": "https://a.example"}}"#));
        all.push(in_format(form, r#""mcpServers": {"s": {"type": "http", "url": "https://a.example"}}"#));
        all.push(in_format(form, r#""mcpServers": {"s": {"type": "sse", "url": "https://a.example"}}"#));
        all.push(in_format(form, r#""providers": {"openai": {"OPENAI_BASE_URL": "https://a.example"}}"#));
    }
    all.push(native("providers: { mine: { base_url: \"https://a.example\", api_key: own } }"));
    all.push(native("handoffs:\n  - { agent: eve, description: Knows., url: \"https://a.example\" }"));
    all.push(native(
        "tools:\n  - { name: t, description: Asks., parameters: { type: object }, http: { url: \"https://a.example\" } }",
    ));
    all.push(native("guardrails:\n  - { name: g, on: [input], http: { url: \"https://a.example\" } }"));
    all.push(with(native(""), ".env", "OPENAI_BASE_URL=https://a.example\nOPENAI_API_KEY=own\n"));
    for files in all {
        let effects = effects(&files);
        assert!(effects.addresses.iter().any(|use_of| use_of.address == "https://a.example"), "{files:?}");
        manager()
            .create(create_request(&files), ManageRole::Administrator)
            .await
            .unwrap_or_else(|error| panic!("{files:?}: {error}"));
    }
}
