//! Translates a change into the keys of a file: canonical keys, or keys of other programs where they are already in
//! use.

use super::step::{At, Path, Step, plain};
use baton_types::{InclusionMode, Permission, PermissionChange, PermissionTarget};
use serde_json::Value;

/// Keys of lists of tools that run without approval.
const ALLOWED: [&str; 2] = ["alwaysAllow", "autoApprove"];
/// Keys of lists of disabled tools; the first is written if there is none.
const OFF: [&[&str]; 4] = [&["disabledTools"], &["disabled_tools"], &["excludeTools"], &["expose", "exclude"]];

/// Key vocabulary of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Native keys, which other programs ignore.
    Canonical,
    /// TeamSpark's keys.
    TeamSpark,
}

/// The dialect cannot express the change; the text is an alternative for the user.
pub(super) type NoWord = &'static str;

/// Steps for the entry of a server at `path`; none if it already has the requested values.
pub(super) fn of_server(
    entry: &Value,
    path: Path,
    dialect: Dialect,
    change: &PermissionChange,
) -> Result<Vec<Step>, NoWord> {
    let mut draft = Draft { entry, path, steps: Vec::new() };
    let tool = match &change.target {
        PermissionTarget::Tool(mcp) => Some(mcp.tool.as_str()),
        PermissionTarget::Server(_) | PermissionTarget::Own(_) => None,
    };
    if let Some(permission) = change.permission {
        match (dialect, tool) {
            (Dialect::Canonical, Some(tool)) => draft.tool(tool, permission),
            (Dialect::Canonical, None) => draft.default(permission),
            (Dialect::TeamSpark, _) => draft.teamspark(tool, permission)?,
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
pub(super) fn of_own(entry: &Value, path: Path, change: &PermissionChange) -> Result<Vec<Step>, NoWord> {
    let mut draft = Draft { entry, path, steps: Vec::new() };
    if let Some(permission) = change.permission {
        draft.set(&["permission"], word(permission).into());
    }
    match change.disabled {
        Some(true) => Err("to disable a tool of agent.yaml, deny it"),
        Some(false) | None => Ok(draft.steps),
    }
}

/// Steps that set the inclusion mode in the entry of a tool or a server at `path`.
pub(super) fn of_include(
    entry: &Value,
    path: Path,
    dialect: Dialect,
    scope: &PermissionTarget,
    include: InclusionMode,
) -> Vec<Step> {
    let word = super::item::word(include);
    let mut draft = Draft { entry, path, steps: Vec::new() };
    match scope {
        PermissionTarget::Own(_) => draft.set(&["include"], word.into()),
        PermissionTarget::Tool(mcp) => {
            if dialect == Dialect::TeamSpark {
                draft.set_existing(&["toolInclude", "tools", &mcp.tool], word);
            }
            draft.set(&["tools", &mcp.tool, "include"], word.into());
        }
        PermissionTarget::Server(_) => {
            if dialect == Dialect::TeamSpark {
                draft.set_existing(&["toolInclude", "serverDefault"], word);
            }
            draft.set(&["serverToolDefaults", "include"], word.into());
        }
    }
    draft.steps
}

/// Keyword of a permission.
pub(super) fn word(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

/// The permission as a boolean of other programs: whether approval is required. They cannot express a denial, so the
/// stricter value is written beside the native one.
fn asks(permission: Permission) -> bool {
    permission != Permission::Allow
}

fn mode(permission: Permission) -> &'static str {
    if asks(permission) { "prompt" } else { "approve" }
}

struct Draft<'a> {
    entry: &'a Value,
    path: Path,
    steps: Vec<Step>,
}

impl Draft<'_> {
    fn get(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self.entry, |value, key| value.get(key))
    }

    fn at(&self, keys: &[&str]) -> Path {
        self.path.iter().cloned().chain(keys.iter().map(|key| At::Key((*key).to_owned()))).collect()
    }

    fn set(&mut self, keys: &[&str], value: Value) {
        if self.get(keys) != Some(&value) {
            self.steps.push(Step::Set(self.at(keys), plain(value)));
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
        let mut is_said = false;
        for list in ALLOWED {
            if self.has(&[list], tool) {
                match permission {
                    Permission::Allow => is_said = true,
                    Permission::Ask | Permission::Deny => {
                        self.steps.push(Step::Drop(self.at(&[list]), tool.to_owned()));
                    }
                }
            }
        }
        is_said |= self.set_existing(&["tools", tool, "permissionRequired"], asks(permission));
        is_said |= self.set_existing(&["tools", tool, "approval_mode"], mode(permission));
        let own = ["permissions", "tools", tool];
        let written = self.get(&own);
        if !is_said || permission == Permission::Deny || written.is_some() {
            // A map also holds rules for some calls of the tool.
            let has_more = written.is_some_and(Value::is_object);
            let keys = if has_more { &["permissions", "tools", tool, "permission"][..] } else { &own };
            self.set(keys, word(permission).into());
        }
    }

    fn default(&mut self, permission: Permission) {
        let own = ["permissions", "default"];
        let is_ours = self.get(&own).is_some() || permission == Permission::Deny;
        let mut is_said = self.set_existing(&["serverToolDefaults", "permissionRequired"], asks(permission));
        is_said |= self.set_existing(&["serverToolDefaults", "approval_mode"], mode(permission));
        is_said |= self.set_existing(&["default_tools_approval_mode"], mode(permission));
        if is_ours || !is_said {
            self.set(&own, word(permission).into());
        }
    }

    /// Older keys are effective beside the newer ones, so they are updated where they are present.
    fn teamspark(&mut self, tool: Option<&str>, permission: Permission) -> Result<(), NoWord> {
        if permission == Permission::Deny {
            return Err("disable it instead");
        }
        let required = if asks(permission) { "required" } else { "not_required" };
        match tool {
            Some(tool) => {
                self.set_existing(&["permissions", "toolPermissions", tool, "permission"], required);
                self.set_existing(&["toolPermissionRequired", "tools", tool], asks(permission));
                self.set(&["tools", tool, "permissionRequired"], asks(permission).into());
            }
            None => {
                self.set_existing(&["permissions", "defaultPermission"], required);
                self.set_existing(&["toolPermissionRequired", "serverDefault"], asks(permission));
                self.set(&["serverToolDefaults", "permissionRequired"], asks(permission).into());
            }
        }
        Ok(())
    }

    fn tool_off(&mut self, tool: &str) {
        let mut is_said = self.set_existing(&["tools", tool, "disabled"], true);
        is_said |= self.set_existing(&["tools", tool, "enabled"], false);
        if is_said || OFF.iter().any(|list| self.has(list, tool)) {
            return;
        }
        let list = OFF.iter().find(|list| self.get(list).is_some()).unwrap_or(&OFF[0]);
        self.steps.push(Step::Add(self.at(list), plain(tool)));
    }

    fn tool_on(&mut self, tool: &str) {
        for list in OFF {
            if self.has(list, tool) {
                self.steps.push(Step::Drop(self.at(list), tool.to_owned()));
            }
        }
        self.set_existing(&["tools", tool, "disabled"], false);
        self.set_existing(&["tools", tool, "enabled"], true);
        let others_are_off = self.get(&["toolEnabled", "serverDefault"]) == Some(&Value::Bool(false));
        let switch = ["toolEnabled", "tools", tool];
        if !self.set_existing(&switch, true) && others_are_off {
            self.set(&switch, true.into());
        }
    }

    fn server(&mut self, off: bool) {
        let is_said = self.set_existing(&["enabled"], !off);
        let other = self.get(&["disabled"]).is_some();
        if other || (off && !is_said) {
            self.set(&["disabled"], off.into());
        }
    }
}
