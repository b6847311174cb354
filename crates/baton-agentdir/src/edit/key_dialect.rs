//! Translates a change into the keys of a file: canonical keys, or keys of other programs where they are already in
//! use.

use super::step::{EditPath, EditStep, PathElement, scalar};
use baton_types::{InclusionMode, Permission, PermissionChange, PermissionTarget};
use serde_json::Value;

/// Keys of lists of tools that run without approval.
const ALLOW_LIST_KEYS: [&str; 2] = ["alwaysAllow", "autoApprove"];
/// Keys of lists of disabled tools; the first is written if there is none.
const DISABLED_LIST_KEYS: [&[&str]; 4] =
    [&["disabledTools"], &["disabled_tools"], &["excludeTools"], &["expose", "exclude"]];

/// Key vocabulary of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyDialect {
    /// Native keys, which other programs ignore.
    Canonical,
    /// TeamSpark's keys.
    TeamSpark,
}

/// The dialect cannot express the change; the text is an alternative for the user.
pub(super) type UnsupportedReason = &'static str;

/// Steps for the entry of a server at `path`; none if it already has the requested values.
pub(super) fn server_steps(
    entry: &Value,
    path: EditPath,
    dialect: KeyDialect,
    change: &PermissionChange,
) -> Result<Vec<EditStep>, UnsupportedReason> {
    let mut draft = StepBuilder { entry, path, steps: Vec::new() };
    let tool = match &change.target {
        PermissionTarget::Tool(mcp) => Some(mcp.tool.as_str()),
        PermissionTarget::Server(_) | PermissionTarget::Own(_) => None,
    };
    if let Some(permission) = change.permission {
        match (dialect, tool) {
            (KeyDialect::Canonical, Some(tool)) => draft.tool(tool, permission),
            (KeyDialect::Canonical, None) => draft.default(permission),
            (KeyDialect::TeamSpark, _) => draft.teamspark(tool, permission)?,
        }
    }
    match (change.disabled, tool) {
        (Some(true), Some(tool)) => draft.tool_off(tool),
        (Some(false), Some(tool)) => draft.tool_on(tool),
        (Some(off), None) => draft.server(off),
        (None, _) => {}
    }
    Ok(draft.steps)
}

/// Steps for the entry of a tool in `agent.yaml`.
pub(super) fn tool_steps(
    entry: &Value,
    path: EditPath,
    change: &PermissionChange,
) -> Result<Vec<EditStep>, UnsupportedReason> {
    let mut draft = StepBuilder { entry, path, steps: Vec::new() };
    if let Some(permission) = change.permission {
        draft.set(&["permission"], permission_keyword(permission).into());
    }
    match change.disabled {
        Some(true) => Err("to disable a tool of agent.yaml, deny it"),
        Some(false) | None => Ok(draft.steps),
    }
}

/// Steps that set the inclusion mode in the entry of a tool or a server at `path`.
pub(super) fn include_steps(
    entry: &Value,
    path: EditPath,
    dialect: KeyDialect,
    scope: &PermissionTarget,
    include: InclusionMode,
) -> Vec<EditStep> {
    let keyword = super::item::inclusion_keyword(include);
    let mut draft = StepBuilder { entry, path, steps: Vec::new() };
    match scope {
        PermissionTarget::Own(_) => draft.set(&["include"], keyword.into()),
        PermissionTarget::Tool(mcp) => {
            if dialect == KeyDialect::TeamSpark {
                draft.set_existing(&["toolInclude", "tools", &mcp.tool], keyword);
            }
            draft.set(&["tools", &mcp.tool, "include"], keyword.into());
        }
        PermissionTarget::Server(_) => {
            if dialect == KeyDialect::TeamSpark {
                draft.set_existing(&["toolInclude", "serverDefault"], keyword);
            }
            draft.set(&["serverToolDefaults", "include"], keyword.into());
        }
    }
    draft.steps
}

/// Keyword of a permission.
pub(super) fn permission_keyword(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

/// The permission as a boolean of other programs: whether approval is required. They cannot express a denial, so the
/// stricter value is written beside the native one.
fn requires_approval(permission: Permission) -> bool {
    permission != Permission::Allow
}

fn approval_keyword(permission: Permission) -> &'static str {
    if requires_approval(permission) { "prompt" } else { "approve" }
}

struct StepBuilder<'a> {
    entry: &'a Value,
    path: EditPath,
    steps: Vec<EditStep>,
}

impl StepBuilder<'_> {
    fn get(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self.entry, |value, key| value.get(key))
    }

    fn at(&self, keys: &[&str]) -> EditPath {
        self.path.iter().cloned().chain(keys.iter().map(|key| PathElement::Key((*key).to_owned()))).collect()
    }

    fn set(&mut self, keys: &[&str], value: Value) {
        if self.get(keys) != Some(&value) {
            self.steps.push(EditStep::Set(self.at(keys), scalar(value)));
        }
    }

    /// Sets a value if its key is present; returns whether it is.
    fn set_existing(&mut self, keys: &[&str], value: impl Into<Value>) -> bool {
        let is_there = self.get(keys).is_some();
        if is_there {
            self.set(keys, value.into());
        }
        is_there
    }

    fn has(&self, list: &[&str], name: &str) -> bool {
        self.get(list).and_then(Value::as_array).is_some_and(|list| list.iter().any(|entry| entry == name))
    }

    fn tool(&mut self, tool: &str, permission: Permission) {
        let mut is_set = false;
        for list in ALLOW_LIST_KEYS {
            if self.has(&[list], tool) {
                match permission {
                    Permission::Allow => is_set = true,
                    Permission::Ask | Permission::Deny => {
                        self.steps.push(EditStep::Drop(self.at(&[list]), tool.to_owned()));
                    }
                }
            }
        }
        is_set |= self.set_existing(&["tools", tool, "permissionRequired"], requires_approval(permission));
        is_set |= self.set_existing(&["tools", tool, "approval_mode"], approval_keyword(permission));
        let own = ["permissions", "tools", tool];
        let written = self.get(&own);
        if !is_set || permission == Permission::Deny || written.is_some() {
            // A map also holds rules for some calls of the tool.
            let has_more = written.is_some_and(Value::is_object);
            let keys = if has_more { &["permissions", "tools", tool, "permission"][..] } else { &own };
            self.set(keys, permission_keyword(permission).into());
        }
    }

    fn default(&mut self, permission: Permission) {
        let own = ["permissions", "default"];
        let is_ours = self.get(&own).is_some() || permission == Permission::Deny;
        let mut is_set =
            self.set_existing(&["serverToolDefaults", "permissionRequired"], requires_approval(permission));
        is_set |= self.set_existing(&["serverToolDefaults", "approval_mode"], approval_keyword(permission));
        is_set |= self.set_existing(&["default_tools_approval_mode"], approval_keyword(permission));
        if is_ours || !is_set {
            self.set(&own, permission_keyword(permission).into());
        }
    }

    /// Older keys are effective beside the newer ones, so they are updated where they are present.
    fn teamspark(&mut self, tool: Option<&str>, permission: Permission) -> Result<(), UnsupportedReason> {
        if permission == Permission::Deny {
            return Err("disable it instead");
        }
        let required = if requires_approval(permission) { "required" } else { "not_required" };
        match tool {
            Some(tool) => {
                self.set_existing(&["permissions", "toolPermissions", tool, "permission"], required);
                self.set_existing(&["toolPermissionRequired", "tools", tool], requires_approval(permission));
                self.set(&["tools", tool, "permissionRequired"], requires_approval(permission).into());
            }
            None => {
                self.set_existing(&["permissions", "defaultPermission"], required);
                self.set_existing(&["toolPermissionRequired", "serverDefault"], requires_approval(permission));
                self.set(&["serverToolDefaults", "permissionRequired"], requires_approval(permission).into());
            }
        }
        Ok(())
    }

    fn tool_off(&mut self, tool: &str) {
        let mut is_set = self.set_existing(&["tools", tool, "disabled"], true);
        is_set |= self.set_existing(&["tools", tool, "enabled"], false);
        if is_set || DISABLED_LIST_KEYS.iter().any(|list| self.has(list, tool)) {
            return;
        }
        let list = DISABLED_LIST_KEYS.iter().find(|list| self.get(list).is_some()).unwrap_or(&DISABLED_LIST_KEYS[0]);
        self.steps.push(EditStep::Add(self.at(list), scalar(tool)));
    }

    fn tool_on(&mut self, tool: &str) {
        for list in DISABLED_LIST_KEYS {
            if self.has(list, tool) {
                self.steps.push(EditStep::Drop(self.at(list), tool.to_owned()));
            }
        }
        self.set_existing(&["tools", tool, "disabled"], false);
        self.set_existing(&["tools", tool, "enabled"], true);
        let is_off_by_default = self.get(&["toolEnabled", "serverDefault"]) == Some(&Value::Bool(false));
        let switch = ["toolEnabled", "tools", tool];
        if !self.set_existing(&switch, true) && is_off_by_default {
            self.set(&switch, true.into());
        }
    }

    fn server(&mut self, off: bool) {
        let is_set = self.set_existing(&["enabled"], !off);
        let has_disabled_key = self.get(&["disabled"]).is_some();
        if has_disabled_key || (off && !is_set) {
            self.set(&["disabled"], off.into());
        }
    }
}
