//! Removes the requested change from both versions of the resources, so that the rest can be compared.

use baton_rules::ServerToolPermissions;
use baton_types::{AgentResources, AgentSpec, InclusionMode, Json, KnownProvider, McpServer, PermissionTarget};
use serde_json::Value;

/// The resources before and after.
type ResourcePair<'a> = (&'a mut AgentResources, &'a mut AgentResources);

pub(super) fn put_include(
    expected: &mut AgentSpec,
    kits: ResourcePair<'_>,
    scope: &PermissionTarget,
    include: InclusionMode,
) -> bool {
    let (name, tool) = match scope {
        PermissionTarget::Own(name) => {
            let Some(tool) = expected.tools.iter_mut().find(|tool| tool.name == *name) else { return false };
            tool.include = include;
            return true;
        }
        PermissionTarget::Tool(mcp) => (&mcp.server, Some(mcp.tool.as_str())),
        PermissionTarget::Server(server) => (server, None),
    };
    let Some(after) = kits.1.servers.iter().find(|server| server.name == *name) else { return false };
    let is_done = match tool {
        Some(tool) => {
            // A disabled tool still has an inclusion mode.
            let server = McpServer { include: Vec::new(), exclude: Vec::new(), ..after.clone() };
            ServerToolPermissions::for_tool(&server, tool).is_some_and(|words| words.include == include)
        }
        None => after.modes.default == include,
    };
    for kit in [kits.0, kits.1] {
        for server in kit.servers.iter_mut().filter(|server| server.name == *name) {
            match tool {
                Some(tool) => server.modes.tools.retain(|(named, _)| named != tool),
                None => server.modes.default = InclusionMode::default(),
            }
        }
    }
    is_done
}

pub(super) fn put_server((old, new): ResourcePair<'_>, name: &str, is_wanted: bool) -> bool {
    let is_there = new.servers.iter().any(|server| server.name == name);
    for kit in [old, new] {
        kit.servers.retain(|server| server.name != name);
    }
    is_there == is_wanted
}

pub(super) fn put_export((old, new): ResourcePair<'_>, name: &str, entry: Option<&Json>) -> bool {
    let made = new.exports.iter().find(|export| export.name == name);
    let is_done = match (made, entry.map(Json::to_value)) {
        (Some(made), Some(entry)) => entry.get("prompt").and_then(Value::as_str) == Some(&made.prompt),
        (made, entry) => made.is_none() && entry.is_none(),
    };
    for kit in [old, new] {
        kit.exports.retain(|export| export.name != name);
    }
    is_done
}

pub(super) fn put_provider((old, new): ResourcePair<'_>, id: &str, entry: Option<&Json>) -> bool {
    let id = KnownProvider::canonical_id(id);
    let made = new.providers.iter().find(|provider| provider.id == id);
    let is_done = match (made, entry.map(Json::to_value)) {
        (Some(made), Some(Value::Object(entry))) => entry.iter().all(|(key, value)| match value {
            Value::String(text) => made.keys.get(key).is_some_and(|said| said == text.trim()),
            _ => true,
        }),
        (made, entry) => made.is_none() && entry.is_none(),
    };
    for kit in [old, new] {
        kit.providers.retain(|provider| provider.id != id);
    }
    is_done
}
