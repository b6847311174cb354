//! Which tools of a server are offered and may run, in the words of many programs.

use super::{Habits, teamspark, value};
use crate::document::{Entry, Fields, Node, Reader, Value};
use baton_types::Permission;

const MAX_RULES: usize = 1000;
const PERMISSIONS: [(&str, Permission); 3] =
    [("allow", Permission::Allow), ("ask", Permission::Ask), ("deny", Permission::Deny)];
/// `auto` and `writes` trust what a server says about its own tools; here somebody is asked instead.
const APPROVAL_MODES: [(&str, Permission); 4] = [
    ("approve", Permission::Allow),
    ("prompt", Permission::Ask),
    ("auto", Permission::Ask),
    ("writes", Permission::Ask),
];
const INCLUDE_MODES: [(&str, ()); 3] = [("always", ()), ("manual", ()), ("agent", ())];

/// What was written, whatever the words.
#[derive(Default)]
pub(super) struct Tools {
    pub(super) default: Permission,
    pub(super) permissions: Vec<(String, Permission)>,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) trusted: bool,
}

pub(super) fn read(reader: &mut Reader, habits: Habits, fields: &mut Fields) -> Tools {
    let mut tools = Tools::default();
    let mut default = None;
    if habits == Habits::TeamSpark {
        let older = teamspark::read(reader, fields);
        default = older.default;
        tools.permissions.extend(older.tools);
        tools.exclude.extend(older.exclude);
    } else if let Some(node) = fields.take("permissions") {
        default = permissions(reader, habits, &mut tools, node);
    }
    for key in ["alwaysAllow", "autoApprove"] {
        let allowed = value::list(reader, habits, fields, &[key]).unwrap_or_default();
        tools.permissions.extend(allowed.into_iter().map(|tool| (tool, Permission::Allow)));
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
    let defaults =
        fields.take("serverToolDefaults").and_then(|node| one_tool(reader, habits, "serverToolDefaults", node));
    let mode = fields.take("default_tools_approval_mode");
    let mode = mode.and_then(|node| reader.choice("default_tools_approval_mode", &node, &APPROVAL_MODES));
    tools.trusted = value::flag(reader, fields, "trust").unwrap_or(false);
    let trusted = tools.trusted.then_some(Permission::Allow);
    tools.default = default.or(defaults).or(mode).or(trusted).unwrap_or(Permission::Ask);
    match fields.take("tools") {
        Some(node) if matches!(node.value, Value::List(_)) => {
            let names = reader.texts("tools", node).into_iter().map(|name| name.value);
            tools.only(Some(names.collect()));
        }
        Some(node) => by_name(reader, habits, &mut tools, node),
        None => {}
    }
    tools
}

impl Tools {
    /// A list of what is offered; one that is written but empty offers nothing.
    fn only(&mut self, written: Option<Vec<String>>) {
        match written {
            Some(names) if names.is_empty() => self.exclude.push("*".to_owned()),
            Some(names) => self.include.extend(names),
            None => {}
        }
    }
}

/// What is said about tools by their names.
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
    if let Some(node) = fields.take("tools") {
        for entry in rules(reader, node) {
            let permission = reader.choice("a tool's permission", &entry.node, &PERMISSIONS);
            tools.permissions.extend(permission.map(|permission| (entry.key, permission)));
        }
    }
    value::close(reader, habits, fields);
    default
}

fn by_name(reader: &mut Reader, habits: Habits, tools: &mut Tools, node: Node) {
    for entry in rules(reader, node) {
        let permission = one_tool(reader, habits, &format!("the tool {:?}", entry.key), entry.node);
        tools.permissions.extend(permission.map(|permission| (entry.key, permission)));
    }
}

/// What is said about one tool, or about those of which nothing is said.
fn one_tool(reader: &mut Reader, habits: Habits, what: &str, node: Node) -> Option<Permission> {
    let mut fields = Fields::open(reader, what, node)?;
    let required = value::flag(reader, &mut fields, "permissionRequired");
    let mode = fields.take("approval_mode").and_then(|node| reader.choice("approval_mode", &node, &APPROVAL_MODES));
    // When a tool is offered is decided elsewhere; the word is only checked.
    let _ = fields.take("include").and_then(|node| reader.choice("include", &node, &INCLUDE_MODES));
    value::close(reader, habits, fields);
    let required = required.map(|required| if required { Permission::Ask } else { Permission::Allow });
    required.or(mode)
}
