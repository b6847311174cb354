//! Exposed tools of a server and their permissions, in the keys of many programs.

use super::{Habits, teamspark, value};
use crate::{
    document::{Entry, Fields, Node, Reader, Value},
    permission::{INCLUDES, MAX_RULES, PERMISSIONS, about_some_calls, never_heard},
};
use baton_rules::glob_matches;
use baton_types::{InclusionMode, InclusionModes, Permission, PermissionRule};

/// `auto` and `writes` trust the server's tool annotations; they are mapped to approval instead.
const APPROVAL_MODES: [(&str, Permission); 4] = [
    ("approve", Permission::Allow),
    ("prompt", Permission::Ask),
    ("auto", Permission::Ask),
    ("writes", Permission::Ask),
];

/// Settings of all tools of a server, independent of the keys used.
#[derive(Default)]
pub(super) struct Tools {
    pub(super) default: Permission,
    pub(super) rules: Vec<PermissionRule>,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) modes: InclusionModes,
    pub(super) trusted: bool,
}

pub(super) fn read(reader: &mut Reader, habits: Habits, fields: &mut Fields) -> Tools {
    let mut tools = Tools::default();
    let mut default = None;
    let mut older = teamspark::Older::default();
    if habits == Habits::TeamSpark {
        older = teamspark::read(reader, fields);
        tools.exclude.append(&mut older.exclude);
        tools.only(older.only.take());
    } else if let Some(node) = fields.take("permissions") {
        default = permissions(reader, habits, &mut tools, node);
    }
    for key in ["alwaysAllow", "autoApprove"] {
        let allowed = value::list(reader, habits, fields, &[key]).unwrap_or_default();
        tools.say(allowed.into_iter().map(|tool| (tool, Permission::Allow)));
    }
    if let Some(mut own) = fields.take("expose").and_then(|node| Fields::open(reader, "expose", node)) {
        let include = value::list(reader, habits, &mut own, &["include"]);
        tools.only(include);
        tools.exclude.extend(value::list(reader, habits, &mut own, &["exclude"]).unwrap_or_default());
        value::close(reader, habits, own);
    }
    for key in ["includeTools", "enabled_tools"] {
        tools.only(value::list(reader, habits, fields, &[key]));
    }
    for key in ["excludeTools", "disabledTools", "disabled_tools"] {
        tools.exclude.extend(value::list(reader, habits, fields, &[key]).unwrap_or_default());
    }
    let defaults = fields.take("serverToolDefaults");
    let defaults = defaults.map(|node| one_tool(reader, habits, "serverToolDefaults", node)).unwrap_or_default();
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
    let place = fields.place;
    match fields.take("tools") {
        Some(node) if matches!(node.value, Value::List(_)) => {
            let names = reader.texts("tools", node).into_iter().map(|name| name.value);
            tools.only(Some(names.collect()));
        }
        Some(node) => by_name(reader, habits, &mut tools, node),
        None => {}
    }
    tools.say_unless_said(older);
    if tools.rules.len() > MAX_RULES {
        let message = format!("there are {} rules about tools", tools.rules.len());
        reader.error(place, message, format!("keep it to {MAX_RULES}"));
    }
    tools
}

impl Tools {
    fn say(&mut self, words: impl IntoIterator<Item = (String, Permission)>) {
        self.rules.extend(words.into_iter().map(|(tool, word)| PermissionRule::for_tool(tool, word)));
    }

    /// Settings of an earlier version apply to tools that the current keys do not mention.
    fn say_unless_said(&mut self, older: teamspark::Older) {
        let is_said = |tools: &Self, tool: &str| tools.rules.iter().any(|rule| rule.tool == tool);
        let words: Vec<_> = older.tools.into_iter().filter(|(tool, _)| !is_said(self, tool)).collect();
        self.say(words);
        let modes: Vec<_> = older
            .modes
            .into_iter()
            .filter(|(tool, _)| !self.modes.tools.iter().any(|(said, _)| said == tool))
            .collect();
        self.modes.tools.extend(modes);
    }

    /// Restricts the exposed tools; a present but empty list exposes nothing.
    fn only(&mut self, written: Option<Vec<String>>) {
        match written {
            Some(names) if names.is_empty() => self.exclude.push("*".to_owned()),
            Some(names) => self.include.extend(names),
            None => {}
        }
    }
}

/// Entries of a map of tools.
fn rules(reader: &mut Reader, node: Node) -> Vec<Entry> {
    let place = node.place;
    let entries = Fields::open(reader, "tools", node).map(Fields::rest).unwrap_or_default();
    if entries.len() > MAX_RULES {
        let message = format!("there are {} rules about tools", entries.len());
        reader.error(place, message, format!("keep it to {MAX_RULES}; a glob such as get_* counts once"));
        return Vec::new();
    }
    entries
}

fn permissions(reader: &mut Reader, habits: Habits, tools: &mut Tools, node: Node) -> Option<Permission> {
    let mut fields = Fields::open(reader, "permissions", node)?;
    let default = fields.take("default").and_then(|node| reader.choice("default", &node, &PERMISSIONS));
    let mut written = Vec::new();
    for entry in fields.take("tools").map(|node| rules(reader, node)).unwrap_or_default() {
        let place = entry.place;
        let rules = about_one(reader, habits, entry);
        written.extend(rules.into_iter().map(|rule| (place, rule)));
    }
    let denials: Vec<String> = written
        .iter()
        .filter(|(_, rule)| rule.permission == Permission::Deny && rule.arguments.is_empty())
        .map(|(_, rule)| rule.tool.clone())
        .collect();
    let mut told = None;
    for (place, rule) in written {
        let is_name = !rule.tool.contains(['*', '?']);
        let denied = denials.iter().find(|glob| **glob == rule.tool || is_name && glob_matches(glob, &rule.tool));
        if let Some(denied) = denied.filter(|_| rule.permission != Permission::Deny && told != Some(place)) {
            never_heard(reader, place, &rule.tool, denied);
            told = Some(place);
        }
        tools.rules.push(rule);
    }
    value::close(reader, habits, fields);
    default
}

/// Rules of one tool: a plain permission, or a map with a permission and rules by argument.
fn about_one(reader: &mut Reader, habits: Habits, entry: Entry) -> Vec<PermissionRule> {
    let (tool, place) = (entry.key, entry.place);
    if !matches!(entry.node.value, Value::Map(_)) {
        let permission = reader.choice("a tool's permission", &entry.node, &PERMISSIONS);
        return permission.map(|permission| PermissionRule::for_tool(tool, permission)).into_iter().collect();
    }
    let Some(mut fields) = Fields::open(reader, format!("the tool {tool:?}"), entry.node) else { return Vec::new() };
    if !fields.has("permission") && !fields.has("arguments") {
        reader.error(place, format!("the tool {tool:?} has no settings"), "write permission, arguments or both");
    }
    let word = fields.take("permission").and_then(|node| reader.choice("permission", &node, &PERMISSIONS));
    let some = fields.take("arguments").map(|node| about_some_calls(reader, habits, &tool, node));
    value::close(reader, habits, fields);
    let word = word.map(|permission| PermissionRule::for_tool(tool, permission));
    word.into_iter().chain(some.into_iter().flatten()).collect()
}

fn by_name(reader: &mut Reader, habits: Habits, tools: &mut Tools, node: Node) {
    for entry in rules(reader, node) {
        let said = one_tool(reader, habits, &format!("the tool {:?}", entry.key), entry.node);
        if said.is_off {
            tools.exclude.push(entry.key.clone());
        }
        tools.modes.tools.extend(said.include.map(|include| (entry.key.clone(), include)));
        tools.say(said.permission.map(|permission| (entry.key, permission)));
    }
}

/// Settings of one tool, or the defaults for tools without settings.
#[derive(Default)]
struct OneTool {
    permission: Option<Permission>,
    include: Option<InclusionMode>,
    is_off: bool,
}

fn one_tool(reader: &mut Reader, habits: Habits, what: &str, node: Node) -> OneTool {
    let Some(mut fields) = Fields::open(reader, what, node) else { return OneTool::default() };
    let required = value::flag(reader, &mut fields, "permissionRequired");
    let mode = fields.take("approval_mode").and_then(|node| reader.choice("approval_mode", &node, &APPROVAL_MODES));
    let include = fields.take("include").and_then(|node| reader.choice("include", &node, &INCLUDES));
    let disabled = value::flag(reader, &mut fields, "disabled").unwrap_or(false);
    let enabled = value::flag(reader, &mut fields, "enabled").unwrap_or(true);
    value::close(reader, habits, fields);
    let required = required.map(|required| if required { Permission::Ask } else { Permission::Allow });
    OneTool { permission: required.or(mode), include, is_off: disabled || !enabled }
}
