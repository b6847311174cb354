//! Exposed tools of a server and their permissions, in the keys of many programs.

use super::{McpDialect, teamspark, value};
use crate::permission::{
    INCLUSION_MODE_KEYWORDS, MAX_RULES, PERMISSION_KEYWORDS, read_argument_rules, warn_overridden,
};
use baton_document::{DocumentNode, DocumentReader, Fields, NodeEntry, NodeValue};
use baton_types::{InclusionMode, InclusionModes, Permission, PermissionRule, glob_matches};

/// `auto` and `writes` trust the server's tool annotations; they are mapped to approval instead.
const APPROVAL_MODES: [(&str, Permission); 4] = [
    ("approve", Permission::Allow),
    ("prompt", Permission::Ask),
    ("auto", Permission::Ask),
    ("writes", Permission::Ask),
];

/// Settings of all tools of a server, independent of the keys used.
#[derive(Default)]
pub(super) struct ServerTools {
    pub(super) default: Permission,
    pub(super) rules: Vec<PermissionRule>,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) modes: InclusionModes,
    pub(super) trusted: bool,
}

pub(super) fn read(reader: &mut DocumentReader, dialect: McpDialect, fields: &mut Fields) -> ServerTools {
    let mut tools = ServerTools::default();
    let mut default = None;
    let mut older = teamspark::LegacyToolSettings::default();
    if dialect == McpDialect::TeamSpark {
        older = teamspark::read(reader, fields);
        tools.exclude.append(&mut older.exclude);
        tools.restrict_to(older.only.take());
    } else if let Some(node) = fields.take("permissions") {
        default = permissions(reader, dialect, &mut tools, node);
    }
    for key in ["alwaysAllow", "autoApprove"] {
        let allowed = value::list(reader, dialect, fields, &[key]).unwrap_or_default();
        tools.add_rules(allowed.into_iter().map(|tool| (tool, Permission::Allow)));
    }
    if let Some(mut own) = fields.take("expose").and_then(|node| Fields::open(reader, "expose", node)) {
        let include = value::list(reader, dialect, &mut own, &["include"]);
        tools.restrict_to(include);
        tools.exclude.extend(value::list(reader, dialect, &mut own, &["exclude"]).unwrap_or_default());
        value::close(reader, dialect, own);
    }
    for key in ["includeTools", "enabled_tools"] {
        tools.restrict_to(value::list(reader, dialect, fields, &[key]));
    }
    for key in ["excludeTools", "disabledTools", "disabled_tools"] {
        tools.exclude.extend(value::list(reader, dialect, fields, &[key]).unwrap_or_default());
    }
    let defaults = fields.take("serverToolDefaults");
    let defaults = defaults.map(|node| one_tool(reader, dialect, "serverToolDefaults", node)).unwrap_or_default();
    tools.modes.default = defaults.include.or(older.mode).unwrap_or_default();
    if defaults.is_off {
        tools.exclude.push("*".to_owned());
    }
    let mode = fields.take("default_tools_approval_mode");
    let mode = mode.and_then(|node| reader.choice("default_tools_approval_mode", &node, &APPROVAL_MODES));
    tools.trusted = value::flag(reader, fields, "trust").unwrap_or(false);
    let trusted = tools.trusted.then_some(Permission::Allow);
    let newer = default.or(defaults.permission);
    tools.default = newer.or(older.default).or(mode).or(trusted).unwrap_or(Permission::Ask);
    let location = fields.location;
    match fields.take("tools") {
        Some(node) if matches!(node.value, NodeValue::List(_)) => {
            let names = reader.texts("tools", node).into_iter().map(|name| name.value);
            tools.restrict_to(Some(names.collect()));
        }
        Some(node) => by_name(reader, dialect, &mut tools, node),
        None => {}
    }
    tools.add_legacy_rules(older);
    if tools.rules.len() > MAX_RULES {
        let message = format!("there are {} rules about tools", tools.rules.len());
        reader.error(location, message, format!("keep it to {MAX_RULES}"));
    }
    tools
}

impl ServerTools {
    fn add_rules(&mut self, tool_permissions: impl IntoIterator<Item = (String, Permission)>) {
        self.rules
            .extend(tool_permissions.into_iter().map(|(tool, permission)| PermissionRule::for_tool(tool, permission)));
    }

    /// Settings of an earlier version apply to tools that the current keys do not mention.
    fn add_legacy_rules(&mut self, older: teamspark::LegacyToolSettings) {
        let has_rule = |tools: &Self, tool: &str| tools.rules.iter().any(|rule| rule.tool == tool);
        let tool_permissions: Vec<_> = older.tools.into_iter().filter(|(tool, _)| !has_rule(self, tool)).collect();
        self.add_rules(tool_permissions);
        let modes: Vec<_> = older
            .modes
            .into_iter()
            .filter(|(tool, _)| !self.modes.tools.iter().any(|(name, _)| name == tool))
            .collect();
        self.modes.tools.extend(modes);
    }

    /// Restricts the exposed tools; a present but empty list exposes nothing.
    fn restrict_to(&mut self, written: Option<Vec<String>>) {
        match written {
            Some(names) if names.is_empty() => self.exclude.push("*".to_owned()),
            Some(names) => self.include.extend(names),
            None => {}
        }
    }
}

/// Entries of a map of tools.
fn rules(reader: &mut DocumentReader, node: DocumentNode) -> Vec<NodeEntry> {
    let location = node.location;
    let entries = Fields::open(reader, "tools", node).map(Fields::into_entries).unwrap_or_default();
    if entries.len() > MAX_RULES {
        let message = format!("there are {} rules about tools", entries.len());
        reader.error(location, message, format!("keep it to {MAX_RULES}; a glob such as get_* counts once"));
        return Vec::new();
    }
    entries
}

fn permissions(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    tools: &mut ServerTools,
    node: DocumentNode,
) -> Option<Permission> {
    let mut fields = Fields::open(reader, "permissions", node)?;
    let default = fields.take("default").and_then(|node| reader.choice("default", &node, &PERMISSION_KEYWORDS));
    let mut written = Vec::new();
    for entry in fields.take("tools").map(|node| rules(reader, node)).unwrap_or_default() {
        let location = entry.location;
        let rules = read_tool_rules(reader, dialect, entry);
        written.extend(rules.into_iter().map(|rule| (location, rule)));
    }
    let denials: Vec<String> = written
        .iter()
        .filter(|(_, rule)| rule.permission == Permission::Deny && rule.arguments.is_empty())
        .map(|(_, rule)| rule.tool.clone())
        .collect();
    let mut reported = None;
    for (location, rule) in written {
        let is_name = !rule.tool.contains(['*', '?']);
        let denied = denials.iter().find(|glob| **glob == rule.tool || is_name && glob_matches(glob, &rule.tool));
        if let Some(denied) = denied.filter(|_| rule.permission != Permission::Deny && reported != Some(location)) {
            warn_overridden(reader, location, &rule.tool, denied);
            reported = Some(location);
        }
        tools.rules.push(rule);
    }
    value::close(reader, dialect, fields);
    default
}

/// Rules of one tool: a plain permission, or a map with a permission and rules by argument.
fn read_tool_rules(reader: &mut DocumentReader, dialect: McpDialect, entry: NodeEntry) -> Vec<PermissionRule> {
    let (tool, location) = (entry.key, entry.location);
    if !matches!(entry.node.value, NodeValue::Map(_)) {
        let permission = reader.choice("a tool's permission", &entry.node, &PERMISSION_KEYWORDS);
        return permission.map(|permission| PermissionRule::for_tool(tool, permission)).into_iter().collect();
    }
    let Some(mut fields) = Fields::open(reader, format!("the tool {tool:?}"), entry.node) else { return Vec::new() };
    if !fields.has("permission") && !fields.has("arguments") {
        reader.error(location, format!("the tool {tool:?} has no settings"), "write permission, arguments or both");
    }
    let permission =
        fields.take("permission").and_then(|node| reader.choice("permission", &node, &PERMISSION_KEYWORDS));
    let some = fields.take("arguments").map(|node| read_argument_rules(reader, dialect, &tool, node));
    value::close(reader, dialect, fields);
    let rule = permission.map(|permission| PermissionRule::for_tool(tool, permission));
    rule.into_iter().chain(some.into_iter().flatten()).collect()
}

fn by_name(reader: &mut DocumentReader, dialect: McpDialect, tools: &mut ServerTools, node: DocumentNode) {
    for entry in rules(reader, node) {
        let settings = one_tool(reader, dialect, &format!("the tool {:?}", entry.key), entry.node);
        if settings.is_off {
            tools.exclude.push(entry.key.clone());
        }
        tools.modes.tools.extend(settings.include.map(|include| (entry.key.clone(), include)));
        tools.add_rules(settings.permission.map(|permission| (entry.key, permission)));
    }
}

/// Settings of one tool, or the defaults for tools without settings.
#[derive(Default)]
struct ServerToolSettings {
    permission: Option<Permission>,
    include: Option<InclusionMode>,
    is_off: bool,
}

fn one_tool(reader: &mut DocumentReader, dialect: McpDialect, subject: &str, node: DocumentNode) -> ServerToolSettings {
    let Some(mut fields) = Fields::open(reader, subject, node) else { return ServerToolSettings::default() };
    let required = value::flag(reader, &mut fields, "permissionRequired");
    let mode = fields.take("approval_mode").and_then(|node| reader.choice("approval_mode", &node, &APPROVAL_MODES));
    let include = fields.take("include").and_then(|node| reader.choice("include", &node, &INCLUSION_MODE_KEYWORDS));
    let disabled = value::flag(reader, &mut fields, "disabled").unwrap_or(false);
    let enabled = value::flag(reader, &mut fields, "enabled").unwrap_or(true);
    value::close(reader, dialect, fields);
    let required = required.map(|required| if required { Permission::Ask } else { Permission::Allow });
    ServerToolSettings { permission: required.or(mode), include, is_off: disabled || !enabled }
}
