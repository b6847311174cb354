//! Secrets in every supported place, and their absence everywhere else.

use crate::{
    binary::{Home, get},
    provider::Provider,
};
use serde_json::Value;
use std::{fs, path::Path};

/// Planted secrets as (place, value).
const PLANTED_SECRETS: [(&str, &str); 16] = [
    ("a literal of the agent", "planted-literal-4f1c"),
    ("a header of the agent's provider", "planted-header-9b27"),
    ("the agent's .env", "planted-dotenv-51aa"),
    ("the password of an address", "planted-address-7e03"),
    ("the same as a header has it", "bWU6cGxhbnRlZC1hZGRyZXNzLTdlMDM="),
    ("baton.yaml", "planted-house-c8d2"),
    ("a header in baton.yaml", "planted-househeader-1f6e"),
    ("the environment", "planted-environment-a3b9"),
    ("the environment of an MCP server", "planted-mcpenv-60d4"),
    ("a header of an MCP server", "planted-mcpheader-e712"),
    ("a header of an HTTP tool, in the agent's .env", "planted-tool-88f0"),
    ("a header of a guardrail, in the environment", "planted-guard-19e5"),
    ("the first half of a pair of keys", "planted-access-77d1"),
    ("the second half, which signs and is never sent", "planted-pair-2c4b"),
    ("the token of a session", "planted-session-0be8"),
    ("the token of an agent elsewhere", "planted-peer-d3a6"),
];

/// Secrets that the services must have received; otherwise the sweep would prove nothing.
const SENT_SECRETS: [&str; 11] = [
    "bWU6cGxhbnRlZC1hZGRyZXNzLTdlMDM=",
    "planted-literal-4f1c",
    "planted-header-9b27",
    "planted-dotenv-51aa",
    "planted-house-c8d2",
    "planted-househeader-1f6e",
    "planted-environment-a3b9",
    "planted-tool-88f0",
    "planted-guard-19e5",
    "planted-access-77d1",
    "planted-session-0be8",
];

const AGENTS: [&str; 8] = ["literal", "dotenv", "address", "house", "environment", "served", "tooled", "paired"];

fn prepared(provider: &Provider) -> Home {
    let home = Home::new();
    let url = &provider.url;
    let address = url.replace("http://", "http://me:planted-address-7e03@");
    let agent = |name: &str, yaml: String| {
        home.write(&format!("{name}/agent.yaml"), &format!("name: {name}\ndescription: For a test.\n{yaml}"));
        home.write(&format!("{name}/prompt.md"), "You are a test.\n");
    };
    agent(
        "literal",
        format!(
            "model: mine:echo\nproviders:\n  mine: {{ base_url: \"{url}/v1\", api_key: planted-literal-4f1c, \
             headers: {{ X-Team: planted-header-9b27 }} }}\n"
        ),
    );
    agent(
        "dotenv",
        format!(
            "model: claude:echo\nproviders:\n  claude: {{ base_url: \"{url}\", ANTHROPIC_API_KEY: env://OWN_KEY }}\n"
        ),
    );
    home.write("dotenv/.env", "OWN_KEY=planted-dotenv-51aa\n");
    agent("address", format!("model: gate:echo\nproviders:\n  gate: {{ base_url: \"{address}/v1\" }}\n"));
    agent("house", "model: openai:echo\n".to_owned());
    agent("environment", "model: gemini:echo\n".to_owned());
    agent(
        "served",
        format!(
            "model: playbook\nmcpServers:\n  broken: {{ command: \"false\", env: {{ TOKEN: planted-mcpenv-60d4 }} }}\n  \
             far: {{ url: \"{url}/mcp\", headers: {{ X-Key: planted-mcpheader-e712 }} }}\n"
        ),
    );
    agent(
        "tooled",
        format!(
            "model: gate:echo\nproviders:\n  gate: {{ base_url: \"{url}/v1\" }}\ntools:\n  - name: note\n    \
             description: Writes it down.\n    http: {{ url: \"{url}/tool\", method: POST, headers: {{ X-Api-Key: \"env://TOOL_KEY\" }} }}\n    \
             parameters: {{ type: object, properties: {{ text: {{ type: string }} }} }}\n\
             guardrails:\n  - {{ name: far, on: [input], on_failure: allow, http: {{ url: \"{url}/guard\", headers: {{ Authorization: \"Bearer env://GUARD_KEY\" }} }} }}\n"
        ),
    );
    home.write("tooled/.env", "TOOL_KEY=planted-tool-88f0\n");
    agent(
        "paired",
        format!(
            "model: bedrock:nova\nproviders:\n  bedrock: {{ base_url: \"{url}\", AWS_ACCESS_KEY_ID: planted-access-77d1, \
             AWS_SECRET_ACCESS_KEY: planted-pair-2c4b, AWS_SESSION_TOKEN: \"env://SESSION\" }}\n"
        ),
    );
    home.write("paired/.env", "SESSION=planted-session-0be8\n");
    home.write(
        "baton.yaml",
        &format!(
            "agents: [{}]\nproviders:\n  openai: {{ base_url: \"{url}/v1\", api_key: planted-house-c8d2, \
             headers: {{ X-House: planted-househeader-1f6e }} }}\n",
            AGENTS.join(", ")
        ),
    );
    home
}

#[test]
fn planted_secrets_never_appear() {
    let provider = Provider::start();
    let home = prepared(&provider);
    let gemini = format!("{}/v1beta", provider.url);
    let variables = [
        ("GEMINI_API_KEY", "planted-environment-a3b9"),
        ("GEMINI_BASE_URL", gemini.as_str()),
        ("GUARD_KEY", "planted-guard-19e5"),
        ("PEER_KEY", "planted-peer-d3a6"),
    ];
    let mut seen: Vec<(String, String)> = Vec::new();
    let mut sweep = |args: &[&str]| {
        let ended = home.run_with(&variables, args);
        seen.push((args.join(" "), format!("{}\n{}", ended.stdout, ended.stderr)));
    };
    for agent in AGENTS {
        // Once with success, once with a service that echoes the whole request in its error.
        sweep(&["run", agent, "Hello", "--log", "trace"]);
        sweep(&["run", agent, "Please refuse", "--json", "--log", "trace"]);
        sweep(&["models", "--agent", agent]);
        sweep(&["agents", "show", agent, "--json"]);
    }
    sweep(&["run", "tooled", "take a note: x", "--json", "--log", "trace"]);
    let far = format!("{}/far", provider.url);
    sweep(&["run", &far, "Hello", "--bearer", "env://PEER_KEY", "--log", "trace"]);
    for args in [
        &["models", "--json", "--agent", "literal", "--log", "trace"][..],
        &["models", "check", "mine", "--agent", "literal"],
        &["models", "check", "claude", "--agent", "dotenv", "--json"],
        &["doctor", "--json"],
        &["agents", "list", "--json"],
        &["tools", "list", "served", "--json"],
        &["sessions", "list", "--json"],
        &["trace", "query", "{}", "--json"],
    ] {
        sweep(args);
    }
    let (server, url) = home.up_with(&variables, &["--port", "0"]);
    let mut asked_of = Vec::new();
    let mut look = |path: &str| {
        let reply = get(&url, path);
        assert!(reply.starts_with("HTTP/1.1 200"), "{path}: {reply}");
        seen.push((path.to_owned(), reply));
    };
    for path in ["/metrics", "/api/v1/sessions", "/api/v1/approvals", "/api/v1/exports"] {
        look(path);
    }
    for agent in AGENTS {
        look(&format!("/agents/{agent}/.well-known/agent-card.json"));
        look(&format!("/api/v1/agents/{agent}"));
        look(&format!("/api/v1/agents/{agent}/tools"));
        for words in ["Please refuse", "take a note: x"] {
            let asked = home.run_with(&variables, &["run", agent, words, "--json"]);
            let all = format!("{}\n{}", asked.stdout, asked.stderr);
            let task: Value = serde_json::from_str(&asked.stdout).unwrap_or_default();
            if let Some(id) = task["id"].as_str() {
                look(&format!("/api/v1/tasks/{id}"));
                look(&format!("/api/v1/tasks/{id}/events"));
            }
            asked_of.push((format!("asked {agent}: {words}"), all));
        }
    }
    seen.append(&mut asked_of);
    server.signal("TERM");
    let ended = server.end();
    seen.push(("up".to_owned(), format!("{}\n{}", ended.stdout, ended.stderr)));

    let sent = provider.request_heads();
    for secret in SENT_SECRETS {
        assert!(sent.contains(secret), "no service received {secret}:\n{}", shown(&seen));
    }
    assert!(!sent.contains("planted-pair-2c4b"), "the signing key was sent");
    assert!(shown(&seen).contains("Heard you."), "no model answered:\n{}", shown(&seen));
    for (place, secret) in PLANTED_SECRETS {
        for (what, text) in &seen {
            assert!(!text.contains(secret), "the secret of {place} appears in {what}:\n{text}");
        }
        kept(&home.path(".baton"), place, secret);
    }
}

fn shown(seen: &[(String, String)]) -> String {
    seen.iter().map(|(what, text)| format!("$ {what}\n{text}\n")).collect()
}

/// Fails if a file of the data directory contains the secret.
fn kept(directory: &Path, place: &str, secret: &str) {
    for entry in fs::read_dir(directory).expect("the data directory").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            kept(&entry, place, secret);
        } else if let Ok(bytes) = fs::read(&entry) {
            let has = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!has, "the secret of {place} is kept in {}", entry.display());
        }
    }
}
