//! What earlier TeamSpark versions wrote about a server's tools.

use super::value;
use crate::document::{Fields, Reader, Value};
use baton_types::Permission;

const REQUIRED: [(&str, Option<Permission>); 3] =
    [("required", Some(Permission::Ask)), ("not_required", Some(Permission::Allow)), ("server_default", None)];

/// Older words for permissions and for tools that are switched off.
#[derive(Default)]
pub(super) struct Older {
    pub(super) default: Option<Permission>,
    pub(super) tools: Vec<(String, Permission)>,
    pub(super) exclude: Vec<String>,
}

pub(super) fn read(reader: &mut Reader, fields: &mut Fields) -> Older {
    let mut older = Older::default();
    if let Some(mut own) = fields.take("permissions").and_then(|node| Fields::open(reader, "permissions", node)) {
        let default = own.take("defaultPermission");
        older.default = default.and_then(|node| reader.choice("defaultPermission", &node, &REQUIRED)).flatten();
        let tools = own.take("toolPermissions").and_then(|node| Fields::open(reader, "toolPermissions", node));
        for entry in tools.map(Fields::rest).unwrap_or_default() {
            let word = Fields::open(reader, "toolPermissions", entry.node).and_then(|mut own| own.take("permission"));
            let permission = word.and_then(|node| reader.choice("permission", &node, &REQUIRED)).flatten();
            older.tools.extend(permission.map(|permission| (entry.key, permission)));
        }
    }
    let (default, tools) = switches(reader, fields, "toolPermissionRequired");
    let asks = |required: bool| if required { Permission::Ask } else { Permission::Allow };
    older.default = default.map(asks).or(older.default);
    older.tools.extend(tools.into_iter().map(|(tool, required)| (tool, asks(required))));
    let (default, tools) = switches(reader, fields, "toolEnabled");
    let off = tools.into_iter().filter(|(_, is_on)| !is_on).map(|(tool, _)| tool);
    older.exclude.extend(off);
    if default == Some(false) {
        older.exclude.push("*".to_owned());
    }
    older
}

/// `{serverDefault, tools{}}` of truth values.
fn switches(reader: &mut Reader, fields: &mut Fields, key: &'static str) -> (Option<bool>, Vec<(String, bool)>) {
    let Some(mut own) = fields.take(key).and_then(|node| Fields::open(reader, key, node)) else {
        return (None, Vec::new());
    };
    let default = value::flag(reader, &mut own, "serverDefault");
    let tools = own.take("tools").and_then(|node| Fields::open(reader, "tools", node));
    let switches = tools.map(Fields::rest).unwrap_or_default().into_iter().filter_map(|entry| match entry.node.value {
        Value::Bool(value) => Some((entry.key, value)),
        _ => None,
    });
    (default, switches.collect())
}
