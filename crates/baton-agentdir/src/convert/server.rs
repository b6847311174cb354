//! Writes an MCP server as an entry of a file.

use super::{
    AGENT_DIRECTORY_VARIABLE,
    tree::{OrderedMap, OrderedValue},
};
use baton_types::{InclusionMode, McpEra, McpServer, McpTimeouts, McpTransport, Permission};
use std::{collections::BTreeMap, time::Duration};

/// The entry in `agent.yaml`.
pub(super) fn native_entry(server: &McpServer) -> OrderedMap {
    let mut entry = common(server, "http", true);
    let mut permissions = OrderedMap::default();
    if server.permissions.default != Permission::Ask {
        permissions.set("default", permission(server.permissions.default));
    }
    let mut tools = OrderedMap::default();
    for rule in &server.permissions.rules {
        if tools.0.iter().any(|(tool, _)| *tool == rule.tool) {
            continue;
        }
        tools.set(&rule.tool, permission_value(server, &rule.tool));
    }
    permissions.set_nonempty("tools", tools);
    entry.set_nonempty("permissions", permissions);
    let mut defaults = OrderedMap::default();
    if server.modes.default != InclusionMode::Always {
        defaults.set("include", include(server.modes.default));
    }
    entry.set_nonempty("serverToolDefaults", defaults);
    let mut tools = OrderedMap::default();
    for (tool, mode) in &server.modes.tools {
        let mut settings = OrderedMap::default();
        settings.set("include", include(*mode));
        tools.set(tool, settings);
    }
    entry.set_nonempty("tools", tools);
    entry
}

/// The permission of one tool: a plain value, or a map with exceptions by argument.
fn permission_value(server: &McpServer, tool: &str) -> OrderedValue {
    let mut plain = None;
    let mut some = Vec::new();
    for rule in server.permissions.rules.iter().filter(|rule| rule.tool == tool) {
        match rule.arguments.first() {
            None => plain = Some(rule.permission),
            Some(argument) => {
                let mut entry = OrderedMap::default();
                entry.set("path", argument.path.as_str());
                entry.set("glob", argument.glob.as_str());
                entry.set("permission", permission(rule.permission));
                some.push(OrderedValue::from(entry));
            }
        }
    }
    match (plain, some.is_empty()) {
        (Some(value), true) => permission(value).into(),
        (plain, _) => {
            let mut settings = OrderedMap::default();
            settings.set_some("permission", plain.map(permission));
            settings.set_nonempty("arguments", some);
            settings.into()
        }
    }
}

/// The entry in a TeamSpark file; unknown keys of the earlier entry are kept.
pub(super) fn teamspark_entry(server: &McpServer, earlier: Option<&OrderedValue>) -> OrderedMap {
    let mut entry = common(server, "streamable-http", false);
    let mut defaults = OrderedMap::default();
    if server.permissions.default != Permission::Ask {
        defaults.set("permissionRequired", server.permissions.default != Permission::Allow);
    }
    if server.modes.default != InclusionMode::Always {
        defaults.set("include", include(server.modes.default));
    }
    if server.permissions.default == Permission::Deny {
        defaults.set("disabled", true);
    }
    entry.set_nonempty("serverToolDefaults", defaults);
    let mut tools: BTreeMap<&str, OrderedMap> = BTreeMap::new();
    for rule in server.permissions.rules.iter().filter(|rule| rule.arguments.is_empty()) {
        let settings = tools.entry(&rule.tool).or_default();
        settings.set("permissionRequired", rule.permission != Permission::Allow);
        if rule.permission == Permission::Deny {
            settings.set("disabled", true);
        }
    }
    for (tool, mode) in &server.modes.tools {
        tools.entry(tool).or_default().set("include", include(*mode));
    }
    let tools = tools.into_iter().map(|(tool, settings)| (tool.to_owned(), OrderedValue::from(settings))).collect();
    entry.set_nonempty("tools", OrderedMap(tools));
    if let Some(OrderedValue::Map(OrderedMap(earlier))) = earlier {
        for (key, value) in earlier.iter().filter(|(key, _)| !KNOWN_SERVER_KEYS.contains(&key.as_str())) {
            entry.set(key, value.clone());
        }
    }
    entry
}

/// Keys that the reader of servers knows.
const KNOWN_SERVER_KEYS: &[&str] = &[
    "type",
    "transport",
    "command",
    "url",
    "serverUrl",
    "httpUrl",
    "tool",
    "envFile",
    "env_file",
    "cwd",
    "args",
    "env",
    "env_vars",
    "headers",
    "http_headers",
    "env_http_headers",
    "bearer_token_env_var",
    "permissions",
    "toolPermissionRequired",
    "toolEnabled",
    "toolInclude",
    "alwaysAllow",
    "autoApprove",
    "expose",
    "includeTools",
    "enabled_tools",
    "excludeTools",
    "disabledTools",
    "disabled_tools",
    "serverToolDefaults",
    "default_tools_approval_mode",
    "trust",
    "tools",
    "timeouts",
    "timeout",
    "startup_timeout_sec",
    "startup_timeout_ms",
    "tool_timeout_sec",
    "oauth",
    "auth",
    "scopes",
    "enabled",
    "disabled",
    "required",
    "era",
    "protocolEra",
    "prefix",
];

/// Keys that both formats write alike.
fn common(server: &McpServer, http: &str, is_ours: bool) -> OrderedMap {
    let mut entry = OrderedMap::default();
    match &server.transport {
        McpTransport::Stdio { command, args, env, env_file, cwd, .. } => {
            entry.set("type", "stdio");
            entry.set("command", command.as_str());
            entry.set_nonempty("args", OrderedValue::texts(args));
            entry.set_nonempty("env", texts(env));
            entry.set_some("envFile", env_file.clone());
            entry.set_some("cwd", cwd.clone().filter(|cwd| cwd != AGENT_DIRECTORY_VARIABLE));
        }
        McpTransport::Http { url, headers } => remote(&mut entry, http, url, headers),
        McpTransport::Sse { url, headers } => remote(&mut entry, "sse", url, headers),
        McpTransport::Remote { url, headers } => {
            remote(&mut entry, if is_ours { "remote" } else { http }, url, headers);
        }
        McpTransport::Internal { tool } => {
            entry.set("type", "internal");
            entry.set("tool", tool.as_str());
        }
    }
    if !server.enabled {
        entry.set("disabled", true);
    }
    if server.required {
        entry.set("required", true);
    }
    if server.trusted {
        entry.set("trust", true);
    }
    entry.set_some("prefix", server.prefix.clone());
    match server.era {
        McpEra::Auto => {}
        McpEra::Legacy => entry.set("era", "legacy"),
        McpEra::Modern => entry.set("era", "modern"),
    }
    entry.set_nonempty("timeouts", timeouts(server.timeouts));
    let mut expose = OrderedMap::default();
    expose.set_nonempty("include", OrderedValue::texts(&server.include));
    expose.set_nonempty("exclude", OrderedValue::texts(&server.exclude));
    entry.set_nonempty("expose", expose);
    if let Some(oauth) = &server.oauth {
        let mut login = OrderedMap::default();
        login.set_some("clientId", oauth.client_id.clone());
        login.set_some("clientSecret", oauth.client_secret.clone());
        login.set_nonempty("scopes", OrderedValue::texts(&oauth.scopes));
        login.set_some("callbackPort", oauth.callback_port);
        entry.set("oauth", if login.is_empty() { OrderedValue::Bool(true) } else { login.into() });
    }
    entry
}

fn remote(entry: &mut OrderedMap, kind: &str, url: &str, headers: &BTreeMap<String, String>) {
    entry.set("type", kind);
    entry.set("url", url);
    entry.set_nonempty("headers", texts(headers));
}

fn texts(map: &BTreeMap<String, String>) -> OrderedMap {
    OrderedMap(map.iter().map(|(key, value)| (key.clone(), OrderedValue::from(value.as_str()))).collect())
}

fn timeouts(configured: McpTimeouts) -> OrderedMap {
    let defaults = McpTimeouts::default();
    let mut map = OrderedMap::default();
    let all = [
        ("startup", configured.startup, defaults.startup),
        ("call", configured.call, defaults.call),
        ("total", configured.total, defaults.total),
    ];
    for (key, configured, defaults) in all {
        if configured != defaults {
            map.set(key, duration(configured));
        }
    }
    map
}

/// A duration with its unit.
pub(super) fn duration(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{}s", duration.as_secs()),
        _ => format!("{}ms", duration.as_millis()),
    }
}

pub(super) fn permission(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

pub(super) fn include(mode: InclusionMode) -> &'static str {
    match mode {
        InclusionMode::Always => "always",
        InclusionMode::Manual => "manual",
        InclusionMode::Agent => "agent",
    }
}
