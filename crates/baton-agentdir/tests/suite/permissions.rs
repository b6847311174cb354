//! Permission settings: allowed tools, tool inclusion, approvals and handoff targets.

use super::{parse_files, parse_yaml, shown};
use baton_agentdir::ParsedAgent;
use baton_types::{ApprovalMode, PermissionRule};
use insta::assert_snapshot;
use std::fmt::Write;

fn rule(rule: &PermissionRule) -> String {
    let server = rule.server.as_ref().map(|server| format!("{server}/")).unwrap_or_default();
    let arguments = rule.arguments.iter().map(|wanted| format!(" {}={:?}", wanted.path, wanted.glob));
    format!("{server}{}{} {:?}", rule.tool, arguments.collect::<String>(), rule.permission)
}

/// The diagnostics and all parsed permission settings.
fn describe_permissions(parsed: &ParsedAgent) -> String {
    let mut all = shown(parsed);
    all.push('\n');
    let Some(agent) = &parsed.agent else { return all };
    let _ =
        writeln!(all, "autonomous {} ask {:?} handoff {}", agent.autonomous, agent.policy.ask, agent.enable_handoff);
    all.extend(agent.policy.rules.iter().map(|said| format!("  {}\n", rule(said))));
    for tool in &agent.tools {
        let _ = writeln!(all, "tool {} {:?} {:?}", tool.name, tool.permission, tool.include);
        all.extend(tool.rules.iter().map(|said| format!("  {}\n", rule(said))));
    }
    for target in &agent.handoffs {
        let _ = writeln!(all, "to {} at {:?}: {:?}", target.agent, target.url, target.description);
    }
    for server in &parsed.resources.servers {
        let (permissions, modes) = (&server.permissions, &server.modes);
        let _ = writeln!(all, "server {} {:?} {:?}", server.name, permissions.default, modes.default);
        all.extend(permissions.rules.iter().map(|said| format!("  {}\n", rule(said))));
        all.extend(modes.tools.iter().map(|(tool, mode)| format!("  {tool} {mode:?}\n")));
        let _ = writeln!(all, "  include {:?} exclude {:?}", server.include, server.exclude);
    }
    all
}

#[test]
fn all_permission_settings() {
    let yaml = r#"name: a
enable_handoff: true
autonomous: true
settings: { tool_permission: never }
permissions:
  - { tool: "*", permission: ask }
  - { server: "fi*", tool: read_file, permission: allow }
  - { server: files, tool: write_file, permission: deny, arguments: [{ path: /path, glob: "/etc/*" }, { path: /mode, glob: w }] }
tools:
  - { name: look, description: d, command: [ls] }
  - { name: order, description: d, command: [ls], permission: ask, include: manual,
      arguments: [{ path: /price, glob: "?", permission: allow }, { path: "", glob: "*secret*", permission: deny }] }
  - { name: pay, description: d, command: [ls], permission: deny, include: agent }
handoffs:
  - weather
  - http://localhost:10000
  - { agent: legal, description: Contracts. }
  - { agent: maps, url: "https://example.com/agents/maps/" }
  - { url: "http://[::1]:7", description: Near. }
mcpServers:
  files:
    command: files
    permissions:
      default: deny
      tools:
        "read_*": allow
        "write_*": { permission: ask, arguments: [{ path: /path, glob: "/tmp/*", permission: allow }] }
        move: { arguments: [{ path: /to/0, glob: "/tmp/*", permission: ask }] }
    serverToolDefaults: { include: agent }
    tools: { write_file: { include: manual, disabled: true }, "read_*": { include: always, enabled: true } }
"#;
    assert_snapshot!(describe_permissions(&parse_yaml(yaml)));
}

#[test]
fn invalid_permission_settings() {
    let yaml = r#"name: a
enable_handoff: "no"
autonomous: yes
settings: { tool_permission: sometimes }
permissions:
  - { tool: read }
  - { permission: ask }
  - { tool: " ", permission: maybe }
  - { tool: read, permission: ask, arguments: [] }
  - { tool: read, permission: ask, arguments: { path: /a } }
  - { tool: read, permission: ask, arguments: [{ path: a, glob: 7 }, { glob: x }, { path: /~2, glob: x, permission: ask }] }
  - { tool: 7, servers: x, permission: ask }
  - read
tools:
  - { name: t, description: d, command: [ls], include: sometimes, arguments: [{ path: /a, glob: x }] }
  - { name: u, description: d, command: [ls], permission: deny, arguments: [{ path: /a, glob: x, permission: allow }] }
handoffs:
  - ftp://example.com
  - http://user:secret@example.com
  - http://example.com?key=secret
  - { description: nobody }
  - { url: "http://" }
  - { url: "http://localhost:1" }
  - http://localhost:1/
  - { url: 7 }
mcpServers:
  files:
    command: files
    permissions:
      default: never
      tools:
        "delete_*": deny
        delete_draft: ask
        move: { permission: deny, arguments: [{ path: /a, glob: x, permission: allow }, { path: /b, glob: x, permission: ask }] }
        copy: {}
        look: { permission: yes, argument: [] }
        more: [allow]
    tools: { x: { disabled: 1 } }
"#;
    let all = describe_permissions(&parse_yaml(yaml));
    assert!(!all.contains("secret"), "{all}");
    assert_snapshot!(all);
    let theirs = r#"{ "mcpServers": {
  "good": { "command": "a", "permissions": { "tools": { "x": { "permission": "ask", "colour": "red",
            "arguments": [{ "path": "/a", "glob": "x", "permission": "allow", "why": "because" }] } } } },
  "bad": { "command": "a", "permissions": { "tools": { "x": { "arguments": [{ "path": "a", "glob": "x" }] } } } } } }"#;
    let files: &[(&str, &[u8])] = &[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", theirs.as_bytes())];
    assert_snapshot!("in_a_file_of_others", describe_permissions(&parse_files(files)));
}

#[test]
fn conflicting_settings() {
    let yaml = "name: a\nautonomous: true\nenable_handoff: false\nhandoffs: [b]\n\
                settings: { tools: caller, tool_permission: always, control_tools: [ask_user] }\n\
                permissions: [{ server: fils, tool: x, permission: deny }, { server: \"f*\", tool: x, permission: deny }]\n\
                mcpServers: { files: { command: x } }";
    assert_snapshot!(describe_permissions(&parse_yaml(yaml)));
}

#[test]
fn rules_are_limited() {
    let rule = "  - { tool: x, permission: ask }\n";
    let yaml = |count: usize| format!("name: a\npermissions:\n{}", rule.repeat(count));
    assert_eq!(parse_yaml(&yaml(1000)).agent.map(|agent| agent.policy.rules.len()), Some(1000));
    assert!(shown(&parse_yaml(&yaml(1001))).contains("permissions has 1001 entries"));
    let one = r#"{ path: /a, glob: x, permission: ask }"#;
    let some = |count: usize| vec![one; count].join(", ");
    let server = |tools: usize, each: usize| {
        let tools: String = (0..tools).map(|n| format!("        t{n}: {{ arguments: [{}] }}\n", some(each))).collect();
        format!("name: a\nmcpServers:\n  s:\n    command: x\n    permissions:\n      tools:\n{tools}")
    };
    assert_eq!(shown(&parse_yaml(&server(15, 64))), "\nagent: yes");
    assert!(shown(&parse_yaml(&server(1, 65))).contains("arguments has 65 entries"));
    assert!(shown(&parse_yaml(&server(16, 64))).contains("there are 1024 rules about tools"));
}

#[test]
fn agent_settings_of_tspark_json() {
    for (yaml, json, autonomous, ask) in [
        ("", r#"{}"#, false, ApprovalMode::Tool),
        ("", r#"{"settings": {"toolPermission": "always"}}"#, false, ApprovalMode::Always),
        ("", r#"{"metadata": {"skills": []}, "settings": {"toolPermission": "never"}}"#, true, ApprovalMode::Never),
        ("", r#"{"skills": [{"id": "x"}]}"#, true, ApprovalMode::Tool),
        ("", r#"{"metadata": {"skills": null}}"#, false, ApprovalMode::Tool),
        ("", r#"{"metadata": {"skills": [], "autonomous": false}}"#, false, ApprovalMode::Tool),
        ("", r#"{"metadata": {"autonomous": true}}"#, true, ApprovalMode::Tool),
        ("autonomous: false", r#"{"metadata": {"skills": []}}"#, false, ApprovalMode::Tool),
        (
            "settings: { tool_permission: tool }",
            r#"{"settings": {"toolPermission": "never"}}"#,
            false,
            ApprovalMode::Tool,
        ),
    ] {
        let yaml = format!("name: a\n{yaml}");
        let files: &[(&str, &[u8])] =
            &[("agent.yaml", yaml.as_bytes()), ("prompt.md", b"p"), ("tspark.json", json.as_bytes())];
        let parsed = parse_files(files);
        assert_eq!(shown(&parsed), "\nagent: yes", "{json}");
        let agent = parsed.agent.unwrap();
        assert_eq!((agent.autonomous, agent.policy.ask), (autonomous, ask), "{yaml} {json}");
    }
    let json = r#"{
  "mcpServers": { "bad": { "command": "x", "toolEnabled": { "tools": { "x": "no" } } } },
  "metadata": "x",
  "settings": { "toolPermission": "sometimes" }
}"#;
    let files: &[(&str, &[u8])] = &[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("tspark.json", json.as_bytes())];
    assert_snapshot!(describe_permissions(&parse_files(files)));
}
