//! Removes the requested change from both versions of the resources, so that the rest can be compared.

use baton_types::{
    AgentResources, AgentSpec, InclusionMode, Json, KnownProvider, McpServer, PermissionTarget, ServerToolPermissions,
};
use serde_json::Value;

/// The resources before and after.
type ResourcePair<'a> = (&'a mut AgentResources, &'a mut AgentResources);

pub(super) fn put_include(
    expected: &mut AgentSpec,
    pair: ResourcePair<'_>,
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
    let Some(after) = pair.1.servers.iter().find(|server| server.name == *name) else { return false };
    let is_done = match tool {
        Some(tool) => {
            // A disabled tool still has an inclusion mode.
            let server = McpServer { include: Vec::new(), exclude: Vec::new(), ..after.clone() };
            ServerToolPermissions::for_tool(&server, tool).is_some_and(|settings| settings.include == include)
        }
        None => after.modes.default == include,
    };
    for resources in [pair.0, pair.1] {
        for server in resources.servers.iter_mut().filter(|server| server.name == *name) {
            match tool {
                Some(tool) => server.modes.tools.retain(|(named, _)| named != tool),
                None => server.modes.default = InclusionMode::default(),
            }
        }
    }
    is_done
}

pub(super) fn put_server((old, new): ResourcePair<'_>, name: &str, should_exist: bool) -> bool {
    let is_there = new.servers.iter().any(|server| server.name == name);
    for resources in [old, new] {
        resources.servers.retain(|server| server.name != name);
    }
    is_there == should_exist
}

pub(super) fn put_export((old, new): ResourcePair<'_>, name: &str, entry: Option<&Json>) -> bool {
    let actual = new.exports.iter().find(|export| export.name == name);
    let is_done = match (actual, entry.map(Json::to_value)) {
        (Some(actual), Some(entry)) => entry.get("prompt").and_then(Value::as_str) == Some(&actual.prompt),
        (actual, entry) => actual.is_none() && entry.is_none(),
    };
    for resources in [old, new] {
        resources.exports.retain(|export| export.name != name);
    }
    is_done
}

pub(super) fn put_provider((old, new): ResourcePair<'_>, id: &str, entry: Option<&Json>) -> bool {
    let id = KnownProvider::canonical_id(id);
    let actual = new.providers.iter().find(|provider| provider.id == id);
    let is_done = match (actual, entry.map(Json::to_value)) {
        (Some(actual), Some(Value::Object(entry))) => entry.iter().all(|(key, value)| match value {
            Value::String(text) => actual.keys.get(key).is_some_and(|actual_value| actual_value == text.trim()),
            _ => true,
        }),
        (actual, entry) => actual.is_none() && entry.is_none(),
    };
    for resources in [old, new] {
        resources.providers.retain(|provider| provider.id != id);
    }
    is_done
}
