//! Edits of one value in a definition, in the format of its file.

use crate::{ManageError, Manager, error_codes, manage_error, manager::FileChanges};
use baton_agentdir::{AgentAmendment, EditError, PermissionEdit, amend, edit};
use baton_ports::{AgentLocation, StoredAgent};
use baton_types::{AgentChange, AgentName, PermissionChange, ToolAccess};
use std::{collections::BTreeMap, path::Path};

/// Placeholder for the directory of the agent; its location has no effect on a permission.
const PLACEHOLDER_DIRECTORY: &str = ".";

/// Result of a change to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentUpdate {
    /// The file, with the path as it was given at startup.
    pub file: String,
    /// Whether the file was written; false if it already had this content.
    pub is_written: bool,
}

/// Result of a permission change for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionUpdate {
    /// The file, with the path as it was given at startup.
    pub file: String,
    /// Whether the file was written; false if it already had this content.
    pub is_written: bool,
    /// The permission before the change.
    pub before: ToolAccess,
    /// The permission after the change.
    pub after: ToolAccess,
}

impl Manager {
    /// Changes a definition and keeps its file format. When this returns, the change is stored and applies to the next
    /// run.
    pub async fn amend(&self, agent: &AgentName, change: &AgentChange) -> Result<AgentUpdate, ManageError> {
        self.edit(agent, |stored| {
            let AgentAmendment { file, changes } =
                amend(&stored.files, change).map_err(|error| edit_rejection(stored, &error))?;
            let update = AgentUpdate { file: shown_file(stored, &file), is_written: !changes.is_empty() };
            Ok((update, changes))
        })
        .await
    }

    /// Writes a permission into an agent's definition. When this returns, the change is stored and applies to the next
    /// call.
    pub async fn change_permission(
        &self,
        agent: &AgentName,
        change: &PermissionChange,
    ) -> Result<PermissionUpdate, ManageError> {
        self.edit(agent, |stored| {
            let edited = edit(&stored.files, PLACEHOLDER_DIRECTORY, change);
            let PermissionEdit { file, text, before, after } =
                edited.map_err(|error| edit_rejection(stored, &error))?;
            let is_written = stored.files.get(&file).map(Vec::as_slice) != Some(text.as_bytes());
            let update = PermissionUpdate { file: shown_file(stored, &file), is_written, before, after };
            let changes = is_written.then(|| (file, Some(text.into_bytes())));
            Ok((update, BTreeMap::from_iter(changes)))
        })
        .await
    }

    async fn edit<T>(
        &self,
        agent: &AgentName,
        edit: impl Fn(&StoredAgent) -> Result<(T, FileChanges), ManageError>,
    ) -> Result<T, ManageError> {
        let edited = self.replace(agent, edit).await?.map(|(update, _)| update);
        edited.ok_or_else(|| {
            let detail = format!("another process keeps changing the files of '{agent}'; try again");
            manage_error(error_codes::AGENT_NOT_CHANGED, detail)
        })
    }
}

/// The path of a file, as written by the user.
fn shown_file(stored: &StoredAgent, file: &str) -> String {
    Path::new(&stored.directory).join(file).display().to_string()
}

/// Error for a rejected edit.
fn edit_rejection(stored: &StoredAgent, error: &EditError) -> ManageError {
    let shown = match &stored.location {
        AgentLocation::Disk(path) => path,
        AgentLocation::Memory | AgentLocation::Storage => &stored.directory,
    };
    let detail = match shown.as_str() {
        "" | "." => error.to_string(),
        shown => format!("{shown}: {error}"),
    };
    manage_error(error.code(), detail)
}
