//! Tool settings of earlier TeamSpark versions.

use super::value;
use crate::permission::INCLUSION_MODE_KEYWORDS;
use baton_document::{DocumentReader, Fields};
use baton_types::{InclusionMode, Permission};

const PERMISSION_KEYWORDS: [(&str, Option<Permission>); 3] =
    [("required", Some(Permission::Ask)), ("not_required", Some(Permission::Allow)), ("server_default", None)];

/// Permissions and disabled tools under their older keys.
#[derive(Default)]
pub(super) struct LegacyToolSettings {
    pub(super) default: Option<Permission>,
    pub(super) tools: Vec<(String, Permission)>,
    pub(super) exclude: Vec<String>,
    pub(super) only: Option<Vec<String>>,
    pub(super) mode: Option<InclusionMode>,
    pub(super) modes: Vec<(String, InclusionMode)>,
}

pub(super) fn read(reader: &mut DocumentReader, fields: &mut Fields) -> LegacyToolSettings {
    let mut older = LegacyToolSettings::default();
    if let Some(mut own) = fields.take("permissions").and_then(|node| Fields::open(reader, "permissions", node)) {
        let default = own.take("defaultPermission");
        older.default =
            default.and_then(|node| reader.choice("defaultPermission", &node, &PERMISSION_KEYWORDS)).flatten();
        let tools = own.take("toolPermissions").and_then(|node| Fields::open(reader, "toolPermissions", node));
        for entry in tools.map(Fields::into_entries).unwrap_or_default() {
            let value = Fields::open(reader, "toolPermissions", entry.node).and_then(|mut own| own.take("permission"));
            let permission = value.and_then(|node| reader.choice("permission", &node, &PERMISSION_KEYWORDS)).flatten();
            older.tools.extend(permission.map(|permission| (entry.key, permission)));
        }
    }
    let (default, tools) = switches(reader, fields, "toolPermissionRequired");
    let asks = |required: bool| if required { Permission::Ask } else { Permission::Allow };
    older.default = default.map(asks).or(older.default);
    older.tools.extend(tools.into_iter().map(|(tool, required)| (tool, asks(required))));
    let (default, tools) = switches(reader, fields, "toolEnabled");
    let (on, off): (Vec<_>, Vec<_>) = tools.into_iter().partition(|(_, is_on)| *is_on);
    older.exclude.extend(off.into_iter().map(|(tool, _)| tool));
    if default == Some(false) {
        older.only = Some(on.into_iter().map(|(tool, _)| tool).collect());
    }
    if let Some(mut own) = fields.take("toolInclude").and_then(|node| Fields::open(reader, "toolInclude", node)) {
        older.mode =
            own.take("serverDefault").and_then(|node| reader.choice("serverDefault", &node, &INCLUSION_MODE_KEYWORDS));
        let tools = own.take("tools").and_then(|node| Fields::open(reader, "tools", node));
        for entry in tools.map(Fields::into_entries).unwrap_or_default() {
            let mode = reader.choice("toolInclude", &entry.node, &INCLUSION_MODE_KEYWORDS);
            older.modes.extend(mode.map(|mode| (entry.key, mode)));
        }
    }
    older
}

/// Reads `{serverDefault, tools{}}` of booleans.
fn switches(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
) -> (Option<bool>, Vec<(String, bool)>) {
    let Some(mut own) = fields.take(key).and_then(|node| Fields::open(reader, key, node)) else {
        return (None, Vec::new());
    };
    let default = value::flag(reader, &mut own, "serverDefault");
    let tools = own.take("tools").and_then(|node| Fields::open(reader, "tools", node));
    let entries = tools.map(Fields::into_entries).unwrap_or_default().into_iter();
    let switches = entries.filter_map(|entry| Some((entry.key, reader.boolean(key, &entry.node)?))).collect();
    (default, switches)
}
