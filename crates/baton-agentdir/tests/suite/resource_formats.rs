//! Resources parsed from the files of other programs and from native files.

use super::{parse_files, shown};
use baton_agentdir::ParsedAgent;
use baton_types::{McpServer, McpTransport};
use std::{collections::BTreeMap, fmt::Write};

/// All resources, including the values that `Debug` hides.
fn describe_resources(parsed: &ParsedAgent) -> String {
    let kit = &parsed.resources;
    let references = parsed.agent.as_ref().map(|agent| agent.knowledge.references.clone()).unwrap_or_default();
    let mut all = String::new();
    for server in &kit.servers {
        all.push_str(&describe_server(server));
    }
    for reference in &references {
        let size = reference.text.len();
        let _ = writeln!(
            all,
            "reference {} ({}, {size} bytes): {}",
            reference.name, reference.media_type, reference.description
        );
    }
    for export in &kit.exports {
        let _ = writeln!(
            all,
            "export {}: {}\n  {}\n  {}",
            export.name,
            export.description,
            export.parameters.as_str(),
            export.prompt
        );
    }
    all
}

fn describe_server(server: &McpServer) -> String {
    let mut all = format!("{} ({})\n", server.name, server.file);
    let map =
        |map: &BTreeMap<String, String>| map.iter().map(|(key, value)| format!(" {key}={value:?}")).collect::<String>();
    let _ = match &server.transport {
        McpTransport::Stdio { command, args, env, env_file, cwd, base } => {
            let _ = writeln!(all, "  stdio {command:?} {args:?} in {cwd:?} of {base}");
            writeln!(all, "  env{} file {env_file:?}", map(env))
        }
        McpTransport::Http { url, headers } => writeln!(all, "  http {url}{}", map(headers)),
        McpTransport::Sse { url, headers } => writeln!(all, "  sse {url}{}", map(headers)),
        McpTransport::Remote { url, headers } => writeln!(all, "  remote {url}{}", map(headers)),
        McpTransport::Internal { tool } => writeln!(all, "  internal {tool}"),
    };
    let _ = writeln!(all, "  {:?} {:?}", server.permissions.default, server.permissions.rules);
    let McpServer { enabled, required, trusted, era, timeouts, include, exclude, prefix, oauth, .. } = server;
    let _ = writeln!(all, "  include {include:?} exclude {exclude:?} prefix {prefix:?}");
    let _ = writeln!(all, "  enabled {enabled} required {required} trusted {trusted} {era:?}");
    let _ = writeln!(all, "  startup {:?} call {:?} total {:?}", timeouts.startup, timeouts.call, timeouts.total);
    if server.modes != Default::default() {
        let _ = writeln!(all, "  {:?}", server.modes);
    }
    if let Some(oauth) = oauth {
        let _ = writeln!(all, "  {oauth:?}");
    }
    all
}

fn agent_with(files: &[(&str, &str)]) -> ParsedAgent {
    let mut all: Vec<(&str, &[u8])> = vec![("agent.yaml", b"name: a"), ("prompt.md", b"p")];
    for (path, text) in files {
        all.retain(|(other, _)| other != path);
        all.push((path, text.as_bytes()));
    }
    parse_files(&all)
}

fn everything(files: &[(&str, &str)]) -> String {
    let parsed = agent_with(files);
    format!("{}\n\n{}", shown(&parsed), describe_resources(&parsed))
}

#[test]
fn claude_format() {
    let all = everything(&[(
        ".mcp.json",
        r#"{
  "mcpServers": {
    "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${HOME}/notes"] },
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/",
      "headers": { "Authorization": "Bearer ${GITHUB_TOKEN}" },
      "timeout": 90000
    },
    "legacy": { "type": "sse", "url": "${LEGACY_URL:-https://mcp.example.com}/sse", "headersHelper": "./token.sh" },
    "tracker": {
      "type": "http", "url": "https://mcp.example.com/tracker",
      "oauth": { "clientId": "abc", "callbackPort": 8085, "authServerMetadataUrl": "https://x.example.com" }
    }
  }
}"#,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn cursor_format() {
    let all = everything(&[(
        "mcp.json",
        r#"{
  "mcpServers": {
    "notes": { "command": "python", "args": ["${workspaceFolder}/notes.py"], "envFile": "${workspaceFolder}/.env",
               "env": { "API_KEY": "${env:API_KEY}", "CACHE": "${userHome}/.cache" } },
    "remote": { "url": "https://mcp.example.com/mcp", "headers": { "X-Api-Key": "${env:KEY}" },
                "auth": { "CLIENT_ID": "id", "CLIENT_SECRET": "${env:SECRET}", "scopes": ["read", "write"] } },
  }
}"#,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn vs_code_format() {
    let all = everything(&[(
        "mcp.json",
        r#"// .vscode/mcp.json
{
  "inputs": [{ "type": "promptString", "id": "key", "description": "API key", "password": true }],
  "servers": {
    /* two of them */
    "perplexity": { "type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
      "env": { "PERPLEXITY_API_KEY": "${input:key}", "PORT": 8080, "UNSET": null }, "sandboxEnabled": true },
    "fetch": { "type": "http", "url": "https://mcp.example.com/fetch", "gallery": true, "version": "1.2.3" },
    "pipe": { "type": "http", "url": "unix:///tmp/server.sock#/mcp" }
  },
}"#,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn cline_roo_and_kiro_formats() {
    let all = everything(&[(
        "mcp.json",
        r#"{ "mcpServers": {
    "cline": { "type": "streamableHttp", "url": "http://127.0.0.1:9000/mcp", "timeout": 60, "disabled": false,
               "autoApprove": ["search", "get_*"] },
    "roo": { "type": "streamable-http", "url": "http://127.0.0.1:9001/mcp", "alwaysAllow": ["read"], "disabled": true },
    "kiro": { "command": "uvx", "args": ["mcp-server-git"], "disabledTools": ["push"], "autoApprove": ["*"] },
    "windsurf": { "serverUrl": "https://mcp.example.com/sse" }
}}"#,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn gemini_copilot_and_fastmcp_formats() {
    let all = everything(&[(
        "mcp.json",
        r#"{ "mcpServers": {
    "gemini-sse": { "url": "http://localhost:8080/sse", "timeout": 5000, "trust": true },
    "gemini-http": { "httpUrl": "http://localhost:8080/mcp", "includeTools": ["safe_*"], "excludeTools": ["safe_but_slow"] },
    "copilot": { "type": "local", "command": "gh-mcp", "tools": ["*"] },
    "copilot-none": { "type": "local", "command": "gh-mcp", "tools": [] },
    "fastmcp": { "transport": "streamable-http", "url": "https://example.com/mcp", "auth": "oauth" },
    "inspector": { "command": "server", "protocolEra": "legacy" }
}}"#,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn codex_format() {
    let all = everything(&[(
        "mcp.json",
        r#"{ "mcpServers": {
    "docs": {
      "command": "docs-server", "env_vars": ["DOCS_HOME", { "name": "DOCS_TOKEN", "source": "local" }], "cwd": "/srv/docs",
      "startup_timeout_sec": 20, "tool_timeout_sec": 1.5, "enabled": true, "required": true,
      "enabled_tools": ["search", "summarize"], "disabled_tools": ["summarize"],
      "default_tools_approval_mode": "prompt", "tools": { "search": { "approval_mode": "approve" } },
      "supports_parallel_tool_calls": true
    },
    "figma": {
      "url": "https://mcp.figma.com/mcp", "bearer_token_env_var": "FIGMA_TOKEN",
      "http_headers": { "X-Figma-Region": "us-east-1" }, "env_http_headers": { "X-Team": "FIGMA_TEAM" },
      "scopes": "files:read comments:read", "startup_timeout_ms": 2500, "enabled": false
    }
}}"#,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn teamspark_format() {
    let all = everything(&[(
        "tspark.json",
        r##"{
  "metadata": { "name": "Researcher", "description": "d" },
  "settings": { "maxChatTurns": "20" },
  "mcpServers": {
    "filesystem": {
      "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "./files"], "cwd": "./",
      "serverToolDefaults": { "permissionRequired": false, "include": "agent" },
      "tools": { "write_file": { "permissionRequired": true, "include": "manual", "embeddings": [[0.5]], "hash": "x" } }
    },
    "weather": { "url": "http://0.0.0.0:8080/sse", "headers": {} },
    "memory": { "tool": "references" },
    "older": { "command": "old", "toolPermissionRequired": { "serverDefault": false, "tools": { "rm": true } },
               "toolEnabled": { "serverDefault": true, "tools": { "format": false, "ls": true } } },
    "few": { "command": "few", "toolEnabled": { "serverDefault": false, "tools": { "ls": true, "rm": false } } },
    "none": { "command": "none", "disabled": true, "toolEnabled": { "serverDefault": false },
              "tools": { "rm": { "disabled": true } } },
    "oldest": { "command": "old", "permissions": { "defaultPermission": "not_required",
                "toolPermissions": { "rm": { "permission": "required" }, "ls": { "permission": "server_default" } } } },
    "plain": { "command": "plain" }
  }
}"##,
    )]);
    insta::assert_snapshot!(all);
}

#[test]
fn native_format() {
    let yaml = r#"
name: a
settings: { orchestration: true }
mcpServers:
  files:
    type: stdio
    command: files-server
    args: ["--root", "${DATA:-.}"]
    env: { TOKEN: "${TOKEN}" }
    envFile: .env
    cwd: data
    era: modern
    prefix: ""
    required: true
    timeouts: { startup: 5s, call: 2h }
    permissions: { default: allow, tools: { "delete_*": deny, delete_draft: ask } }
    expose: { include: ["*_file", "delete_*"], exclude: [format_file] }
  web: { type: http, url: "https://mcp.example.com/", headers: { Authorization: "Bearer ${WEB_TOKEN}" }, timeout: 10s,
         oauth: { client_id: id, client_secret: "env://WEB_SECRET", scopes: [a, b] } }
  rules: { type: internal, tool: rules }
tools:
  - name: weather
    description: The weather of a city.
    http: { url: "https://api.example.com:8443/v1/{city}?units={units}", headers: { Authorization: "Bearer env://KEY" } }
    parameters: { properties: { city: { type: string }, units: { type: string } }, required: [city, units] }
    output: { type: object }
  - name: order
    description: Orders something.
    http: { method: post, url: "https://api.example.com/orders", body: form }
    permission: ask
    timeout: 5s
    max_output: 1KB
  - name: replace
    description: Replaces something.
    http: { method: PUT, url: "http://[::1]/things/{id}" }
    parameters: { properties: { id: { type: integer } }, required: [id] }
  - name: remove
    description: Removes something.
    http: { method: DELETE, url: "http://localhost/things" }
    effects: unknown
exports:
  - name: plan_trip
    description: Plans a trip.
    parameters: { properties: { city: { type: string } }, required: [city] }
    prompt: "Plan a trip to {city}; answer as {{\"days\": []}."
"#;
    let parsed = agent_with(&[
        ("agent.yaml", yaml),
        ("mcp.json", r#"{"mcpServers": {"files": {"command": "other"}, "more": {"command": "more"}}}"#),
        (".mcp.json", r#"{"servers": {"more": {"command": "yet another"}}}"#),
    ]);
    let agent = parsed.agent.as_ref().expect("an agent");
    let tools = serde_json::to_string_pretty(&serde_json::to_value(&agent.tools).expect("JSON")).expect("JSON");
    let all = format!("{}\n\n{}\n{tools}", shown(&parsed), describe_resources(&parsed));
    insta::assert_snapshot!(all);
    let prompt = agent.orchestration.as_ref().and_then(|orchestration| orchestration.prompt.as_deref());
    assert_eq!(prompt, Some(baton_agentdir::ORCHESTRATION_PROMPT));
}

#[test]
fn orchestration_has_default_custom_or_no_instructions() {
    for (written, expect) in [
        ("false", None),
        ("true", Some(Some(baton_agentdir::ORCHESTRATION_PROMPT))),
        ("{}", Some(Some(baton_agentdir::ORCHESTRATION_PROMPT))),
        ("{ prompt: Ask them. }", Some(Some("Ask them."))),
        ("{ prompt: '' }", Some(None)),
    ] {
        let parsed = super::parse_yaml(&format!("name: a\nsettings: {{ orchestration: {written} }}"));
        let agent = parsed.agent.expect("an agent");
        let prompt = agent.orchestration.as_ref().map(|orchestration| orchestration.prompt.as_deref());
        assert_eq!(prompt, expect, "{written}");
    }
}

#[test]
fn references_are_named_described_and_ordered() {
    let all = everything(&[
        ("references/guide.md", "\n# The  guide\n\nText."),
        ("references/notes.txt", "First line\nsecond"),
        ("references/table.json", "{}"),
        ("references/values.yaml", "a: 1"),
        ("references/front.md", "---\nname: renamed\ndescription: What it is.\n---\n\nBody\n---\nmore"),
        ("references/rule.md", "---\nno front matter, only a line"),
        ("refs/first.mdt", "---\nname: first\npriorityLevel: 10\ninclude: always\n---\nText of the first.\n"),
        (
            "refs/written.mdt",
            "---\n{\"name\":\"written\",\"description\":\"by TeamSpark\",\"priorityLevel\":500}---\nBody.\n---\nx",
        ),
        ("refs/guide.md", "another guide"),
        ("refs/broken.mdt", "---\nname: [\n---\ntext"),
        ("refs/number.mdt", "---\nname: 7\n---\ntext"),
        ("refs/slash.mdt", "---\nname: ../etc\n---\ntext"),
        ("refs/picture.png", "no"),
        ("references/deeper/file.md", "no"),
        ("references/.hidden.md", "no"),
        ("rules/rule.mdt", "no"),
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn limits_of_resources_are_enforced() {
    let many = |count: usize| {
        let all: Vec<String> = (0..count).map(|n| format!(r#""s{n}": {{"command": "c"}}"#)).collect();
        format!(r#"{{"mcpServers": {{{}}}}}"#, all.join(","))
    };
    let parsed = agent_with(&[("mcp.json", &many(65)), (".mcp.json", r#"{"mcpServers": {"more": {"command": "c"}}}"#)]);
    assert_eq!(parsed.resources.servers.len(), 64);
    insta::assert_snapshot!(shown(&parsed));
    let names: Vec<String> = (0..300).map(|n| format!("references/{n:03}.md")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "text")).collect();
    let parsed = agent_with(&files);
    let count = parsed.agent.as_ref().map_or(0, |agent| agent.knowledge.references.len());
    assert_eq!((count, parsed.diagnostics.len()), (256, 1));
}
