//! Errors in resources: in a native file each one makes the agent invalid, in foreign files only the server is
//! skipped.

use super::{parse_files, parse_yaml, shown};
use insta::assert_snapshot;

/// Every kind of error, in a map of servers that is JSON and therefore also YAML.
const BAD: &str = r#"{
  "nothing": {},
  "list": ["npx", "server"],
  "both": { "command": "a", "url": "https://example.com" },
  "kind": { "type": "websocket", "url": "wss://example.com" },
  "no-command": { "type": "stdio", "url": "https://example.com/secret-in-url" },
  "no-url": { "type": "http", "command": "a" },
  "command-list": { "command": ["npx", "server"] },
  "url": { "url": "example.com/mcp" },
  "relative-url": { "url": "https:///mcp" },
  "internal": { "tool": "everything" },
  "env": { "command": "a", "env": ["A=secret"] },
  "env-deep": { "command": "a", "env": { "A": { "secret": 1 } } },
  "variable": { "url": "https://example.com", "bearer_token_env_var": "sk-secret" },
  "header": { "url": "https://example.com", "headers": { "X Y": "1" } },
  "twice": { "url": "https://example.com", "headers": { "authorization": "x" }, "bearer_token_env_var": "T" },
  "secret": { "url": "https://example.com", "oauth": { "clientId": "a", "clientSecret": "hunter2-secret" } },
  "port": { "url": "https://example.com", "oauth": { "callbackPort": 70000 } },
  "auth": { "url": "https://example.com", "auth": "sk-secret" },
  "permission": { "command": "a", "permissions": { "default": "yes", "tools": { "rm": "never" } } },
  "tools": { "command": "a", "tools": "all", "alwaysAllow": true, "trust": "yes" },
  "mode": { "command": "a", "default_tools_approval_mode": "always", "tools": { "x": { "include": "sometimes" } } },
  "time": { "command": "a", "timeout": "soon", "startup_timeout_sec": -1, "timeouts": { "call": 5, "total": "2 days" } },
  "flags": { "command": "a", "disabled": "no", "era": "2025", "prefix": "a b", "required": 1 },
  "aliases": { "url": "https://example.com", "serverUrl": "https://example.com" },
  " ": { "command": "a" }
}"#;

#[test]
fn invalid_servers() {
    let ours = parse_yaml(&format!("name: a\nmcpServers: {BAD}"));
    let theirs = format!("{{\n\"mcpServers\": {{\"good\": {{\"command\": \"a\"}}, {}}}", &BAD[1..]);
    let files: &[(&str, &[u8])] = &[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", theirs.as_bytes())];
    let theirs = parse_files(files);
    assert_eq!(theirs.resources.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["good"]);
    let all = format!("# ours\n{}\n\n# theirs\n{}", shown(&ours), shown(&theirs));
    assert!(!all.contains("secret-in-url") && !all.contains("sk-secret") && !all.contains("hunter2"), "{all}");
    assert_snapshot!(all);
}

#[test]
fn unknown_keys() {
    let server = r#"{ "command": "a", "comand": "b", "colour": "red", "permissions": { "toolz": {} } }"#;
    let ours = parse_yaml(&format!("name: a\nmcp_servers: {{ s: {server} }}\nmcpServers: {{}}"));
    let theirs = format!(r#"{{ "$schema": "x", "mcpServers": {{ "s": {server} }}, "other": 1 }}"#);
    let files: &[(&str, &[u8])] = &[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", theirs.as_bytes())];
    let theirs = parse_files(files);
    assert_eq!(theirs.resources.servers.len(), 1);
    let all = format!("# ours\n{}\n\n# theirs\n{}", shown(&ours), shown(&theirs));
    assert_snapshot!(all);
}

#[test]
fn unreadable_files() {
    let mut all = String::new();
    for (what, text) in [
        ("empty", &b""[..]),
        ("not JSON", b"mcpServers:\n  a: 1"),
        ("cut off", b"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\""),
        ("not UTF-8", b"{\"a\": \"\xff\"}"),
        ("a list", b"[1]"),
        ("no servers", b"{\"a\": {\"command\": \"x\"}}"),
        ("servers that are no map", b"{\"mcpServers\": [1], \"servers\": \"x\"}"),
    ] {
        let files: &[(&str, &[u8])] = &[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", text)];
        let parsed = parse_files(files);
        assert_eq!(parsed.resources.servers.len(), 0);
        all.push_str(&format!("# {what}\n{}\n\n", shown(&parsed)));
    }
    assert_snapshot!(all);
}

#[test]
fn invalid_tools_and_exports() {
    let yaml = r#"name: a
settings: { orchestration: sure }
tools:
  - { name: both, description: d, command: [ls], http: { url: "https://example.com" } }
  - { name: call_agent, description: d, command: [ls] }
  - { name: t, description: d, http: "https://example.com" }
  - { name: t1, description: d, http: { method: GET } }
  - { name: t2, description: d, http: { method: HEAD, url: "https://example.com" } }
  - { name: t3, description: d, http: { url: "https://{host}/x" }, parameters: { properties: { host: {} } } }
  - { name: t4, description: d, http: { url: "https://example.com:{port}/x" } }
  - { name: t5, description: d, http: { url: "ftp://example.com/" } }
  - { name: t6, description: d, http: { url: "https://user:pw@example.com/" } }
  - { name: t7, description: d, http: { url: "https://example.com:99999/" } }
  - { name: t8, description: d, http: { url: "https://example.com/a b" } }
  - { name: t9, description: d, http: { url: "https://example.com/{a" } }
  - { name: t14, description: d, http: { url: "https://example.com/a}/../b" } }
  - { name: t15, description: d, http: { url: "https://example.com/a}b" } }
  - { name: t10, description: d, http: { url: "https://example.com/{a}/{b}?c={c}" }, parameters: { properties: { b: {}, c: {} } } }
  - { name: t11, description: d, http: { url: "https://example.com/", body: json }, directory: x, output: 7 }
  - { name: t12, description: d, http: { url: "https://example.com/", headers: { X-Api-Key: hunter2, Host: x, "a b": c, Accept: 7 } } }
  - { name: t13, description: d, http: { url: "https://example.com/", headers: { Accept: a, accept: b, X-A: "a\nb" } }, permission: maybe }
exports:
  - { name: both, description: d, prompt: p }
  - { name: list_agents, description: d, prompt: p }
  - { name: e1, prompt: "{city}" }
  - { name: e2, description: d, prompt: "{ a }" }
  - { name: e3, description: d }
  - { name: e4, description: d, prompt: " ", colour: red }
  - { name: e5, description: d, prompt: "{a}", parameters: { properties: { a: {} } } }
"#;
    let all = shown(&parse_yaml(yaml));
    assert!(!all.contains("hunter2"), "{all}");
    assert_snapshot!(all);
}

#[test]
fn debug_output_has_no_secrets() {
    let json = r#"{"mcpServers": {
        "a": {"command": "x", "args": ["--token", "SECRET"], "env": {"TOKEN": "SECRET"}},
        "b": {"type": "http", "url": "https://example.com/?key=SECRET", "headers": {"X-Key": "SECRET"}},
        "c": {"type": "sse", "url": "https://example.com/?key=SECRET", "headers": {"X-Key": "SECRET"}},
        "d": {"url": "https://example.com/?key=SECRET", "headers": {"X-Key": "SECRET"}}}}"#;
    let files: &[(&str, &[u8])] = &[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", json.as_bytes())];
    let parsed = parse_files(files);
    assert_eq!(parsed.resources.servers.len(), 4);
    let debug = format!("{parsed:?}");
    assert!(!debug.contains("SECRET"), "{debug}");
    assert!(debug.contains("TOKEN"), "{debug}");
}
