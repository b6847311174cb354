//! Applies a permission change: selects the file and the steps, and verifies the result.

use super::{
    EditError,
    apply::FileSyntax,
    key_dialect::{self, KeyDialect, UnsupportedReason},
    step::{EditPath, EditStep, PathElement},
};
use crate::{AGENT_FILE, Format, MCP_FILES, ParsedAgent, parse};
use baton_document::{DocumentNode, NodeValue};
use baton_types::{
    McpServer, Permission, PermissionChange, PermissionTarget, ServerToolPermissions, ToolAccess, glob_matches,
};
use std::collections::BTreeMap;

/// File in TeamSpark's dialect.
const TEAMSPARK_FILE: &str = "tspark.json";

/// A file with the change applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionEdit {
    /// The file, relative to the agent.
    pub file: String,
    /// The complete new text; unchanged if the file already has the requested values.
    pub text: String,
    /// Access before the change.
    pub before: ToolAccess,
    /// Access after the change.
    pub after: ToolAccess,
}

/// Writes a permission of a tool or a server into the file that defines it. The files are those of [`parse`].
pub fn edit(
    files: &BTreeMap<String, Vec<u8>>,
    base_directory: &str,
    change: &PermissionChange,
) -> Result<PermissionEdit, EditError> {
    let old = parse(files, base_directory);
    if old.agent.is_none() {
        return Err(EditError::Invalid(old.diagnostics));
    }
    // The missing entry may be in an unreadable file.
    let missing = || match old.diagnostics.iter().any(|remark| MCP_FILES.contains(&remark.file.as_str())) {
        true => EditError::Invalid(old.diagnostics.clone()),
        false => EditError::Missing(change.target.clone()),
    };
    let before = tool_access(&old, &change.target).ok_or_else(missing)?;
    let file = defining_file(&old, &change.target).ok_or_else(missing)?;
    let bytes = files.get(&file).ok_or_else(missing)?;
    let text = baton_document::utf8(&file, bytes).map_err(|remark| EditError::Invalid(vec![remark]))?;
    let syntax = FileSyntax::from_file_name(&file);
    let root = syntax.read(&file, text).map_err(|remark| EditError::Invalid(vec![remark]))?;
    let (path, line) = find_entry(&root, &file, &change.target).ok_or_else(missing)?;
    let tree = root.to_json();
    let steps = steps(&tree, path, dialect(files, &file), change);
    let steps = steps.map_err(|instead| EditError::Unsupported { file: file.clone(), instead })?;
    let by_hand = || EditError::ManualEdit { file: file.clone(), line, write: describe_manual_edit(change) };
    let changed = syntax.apply_steps(text, &steps).ok_or_else(by_hand)?;
    let mut files = files.clone();
    files.insert(file.clone(), changed.clone().into_bytes());
    let new = parse(&files, base_directory);
    let after = tool_access(&new, &change.target).filter(|_| is_otherwise_equal(&old, &new, &change.target));
    let after = after.ok_or_else(by_hand)?;
    let is_done = change.permission.is_none_or(|requested| requested == after.permission)
        && change.disabled.is_none_or(|requested| requested == after.disabled);
    if !is_done {
        let because = overriding_setting(&new, change);
        return Err(EditError::Overridden { file, scope: change.target.clone(), because });
    }
    Ok(PermissionEdit { file, text: changed, before, after })
}

/// Dialect of a file with servers.
pub(super) fn dialect(files: &BTreeMap<String, Vec<u8>>, file: &str) -> KeyDialect {
    let is_own = |(format, own): (Format, &str)| format.is_foreign() && own == file;
    let is_teamspark = file == TEAMSPARK_FILE || Format::detect_file(files).is_some_and(is_own);
    if is_teamspark { KeyDialect::TeamSpark } else { KeyDialect::Canonical }
}

fn steps(
    tree: &serde_json::Value,
    path: EditPath,
    dialect: KeyDialect,
    change: &PermissionChange,
) -> Result<Vec<EditStep>, UnsupportedReason> {
    let entry = path.iter().try_fold(tree, |value, at| match at {
        PathElement::Key(key) => value.get(key),
        PathElement::Index(index) => value.get(index),
    });
    let entry = entry.unwrap_or(&serde_json::Value::Null);
    match &change.target {
        PermissionTarget::Own(_) => key_dialect::tool_steps(entry, path, change),
        PermissionTarget::Tool(_) | PermissionTarget::Server(_) => {
            key_dialect::server_steps(entry, path, dialect, change)
        }
    }
}

fn server<'a>(parsed: &'a ParsedAgent, scope: &PermissionTarget) -> Option<&'a McpServer> {
    let name = match scope {
        PermissionTarget::Own(_) => return None,
        PermissionTarget::Tool(mcp) => &mcp.server,
        PermissionTarget::Server(server) => server,
    };
    parsed.resources.servers.iter().find(|server| server.name == *name)
}

fn tool_access(parsed: &ParsedAgent, scope: &PermissionTarget) -> Option<ToolAccess> {
    match scope {
        PermissionTarget::Own(name) => {
            let tool = parsed.agent.as_ref()?.tools.iter().find(|tool| tool.name == *name)?;
            Some(ToolAccess { permission: tool.permission, disabled: false })
        }
        PermissionTarget::Tool(mcp) => {
            let server = server(parsed, scope)?;
            let disabled = !is_exposed(server, &mcp.tool);
            // A disabled tool still has a permission.
            let server = McpServer { include: Vec::new(), exclude: Vec::new(), ..server.clone() };
            let permission = ServerToolPermissions::for_tool(&server, &mcp.tool)
                .map_or(Permission::Deny, |settings| settings.permission);
            Some(ToolAccess { permission, disabled })
        }
        PermissionTarget::Server(_) => {
            let server = server(parsed, scope)?;
            Some(ToolAccess { permission: server.permissions.default, disabled: !server.enabled })
        }
    }
}

fn is_exposed(server: &McpServer, tool: &str) -> bool {
    let named = |globs: &[String]| globs.iter().any(|glob| glob_matches(glob, tool));
    (server.include.is_empty() || named(&server.include)) && !named(&server.exclude)
}

pub(super) fn defining_file(parsed: &ParsedAgent, scope: &PermissionTarget) -> Option<String> {
    match scope {
        PermissionTarget::Own(_) => Some(AGENT_FILE.to_owned()),
        PermissionTarget::Tool(_) | PermissionTarget::Server(_) => {
            server(parsed, scope).map(|server| server.file.clone())
        }
    }
}

/// Path and line of the entry of the tool or the server in its file.
pub(super) fn find_entry(root: &DocumentNode, file: &str, scope: &PermissionTarget) -> Option<(EditPath, u32)> {
    let key = |name: &str| PathElement::Key(name.to_owned());
    match scope {
        PermissionTarget::Own(name) => {
            let NodeValue::List(tools) = &get(root, "tools")?.value else { return None };
            let is_it =
                |tool: &DocumentNode| get(tool, "name").is_some_and(|node| node.value == NodeValue::Text(name.clone()));
            let index = tools.iter().position(is_it)?;
            Some((vec![key("tools"), PathElement::Index(index)], tools.get(index)?.location.line))
        }
        PermissionTarget::Tool(baton_types::McpTool { server, .. }) | PermissionTarget::Server(server) => {
            let maps = if file == AGENT_FILE { ["mcpServers", "mcp_servers"] } else { ["mcpServers", "servers"] };
            maps.iter().find_map(|map| {
                let entry = get(get(root, map)?, server)?;
                Some((vec![key(map), key(server)], entry.location.line))
            })
        }
    }
}

fn get<'a>(node: &'a DocumentNode, key: &str) -> Option<&'a DocumentNode> {
    let NodeValue::Map(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
}

/// Whether two parsed agents differ only in the target.
fn is_otherwise_equal(old: &ParsedAgent, new: &ParsedAgent, scope: &PermissionTarget) -> bool {
    let agent = |parsed: &ParsedAgent| {
        let mut agent = parsed.agent.clone();
        if let (Some(agent), PermissionTarget::Own(name)) = (&mut agent, scope) {
            let own = agent.tools.iter_mut().filter(|tool| tool.name == *name);
            own.for_each(|tool| {
                tool.permission = Permission::Ask;
                tool.rules.clear();
            });
        }
        agent
    };
    let server_name = server(old, scope).map(|server| server.name.clone());
    let resources_of = |parsed: &ParsedAgent| {
        let mut resources = parsed.resources.clone();
        for server in resources.servers.iter_mut().filter(|server| Some(&server.name) == server_name.as_ref()) {
            match scope {
                PermissionTarget::Tool(mcp) => {
                    server.permissions.rules.retain(|rule| rule.tool != mcp.tool || !rule.arguments.is_empty());
                    // An empty list of exposed tools exposes nothing.
                    server.exclude.retain(|name| *name != mcp.tool && name != "*");
                    server.include.retain(|name| *name != mcp.tool);
                }
                PermissionTarget::Server(_) => {
                    server.permissions.default = Permission::Ask;
                    server.enabled = true;
                }
                PermissionTarget::Own(_) => {}
            }
        }
        resources
    };
    agent(old) == agent(new) && resources_of(old) == resources_of(new)
}

/// Description of the setting that overrides the new value.
fn overriding_setting(parsed: &ParsedAgent, change: &PermissionChange) -> String {
    let (Some(server), PermissionTarget::Tool(mcp)) = (server(parsed, &change.target), &change.target) else {
        return "another key overrides it".to_owned();
    };
    let tool = mcp.tool.as_str();
    let rule = server.permissions.rules.iter().find(|rule| {
        rule.tool != tool
            && change.permission.is_some_and(|requested| rule.permission > requested)
            && glob_matches(&rule.tool, tool)
    });
    let off = server.exclude.iter().find(|glob| glob_matches(glob, tool));
    match (rule, off) {
        (Some(rule), _) => {
            format!("the pattern '{}' sets {}", rule.tool, key_dialect::permission_keyword(rule.permission))
        }
        (None, Some(glob)) if change.disabled == Some(false) => format!("the pattern '{glob}' disables it"),
        (None, None) if change.disabled == Some(false) => "it is not in the list of exposed tools".to_owned(),
        _ => "another key overrides it".to_owned(),
    }
}

/// Description of the edit to make by hand.
fn describe_manual_edit(change: &PermissionChange) -> String {
    let permission = change.permission.map(key_dialect::permission_keyword);
    let permission_text = match (&change.target, permission) {
        (PermissionTarget::Own(_), Some(keyword)) => Some(format!("permission: {keyword}")),
        (PermissionTarget::Tool(mcp), Some(keyword)) => {
            Some(format!("\"permissions\": {{\"tools\": {{{:?}: \"{keyword}\"}}}}", mcp.tool))
        }
        (PermissionTarget::Server(_), Some(keyword)) => {
            Some(format!("\"permissions\": {{\"default\": \"{keyword}\"}}"))
        }
        (_, None) => None,
    };
    let off = match (&change.target, change.disabled) {
        (PermissionTarget::Tool(mcp), Some(true)) => Some(format!("\"disabledTools\": [{:?}]", mcp.tool)),
        (PermissionTarget::Tool(mcp), Some(false)) => Some(format!("\"disabledTools\" without {:?}", mcp.tool)),
        (PermissionTarget::Server(_), Some(off)) => Some(format!("\"disabled\": {off}")),
        (PermissionTarget::Own(_), _) | (_, None) => None,
    };
    permission_text.into_iter().chain(off).collect::<Vec<_>>().join(", ")
}
