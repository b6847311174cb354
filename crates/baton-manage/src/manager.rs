//! Operations on definitions.

use crate::{
    Definition, ManageError, ManageRole, clone, compose, definition::read, edit_error, error_codes, guard, manage_error,
};
use baton_agentdir::amend;
use baton_api::{CloneAgent, CreateAgent};
use baton_ports::{AgentFiles, AgentLocation, AgentPersistence, AgentRepository, StoredAgent};
use baton_types::{AgentChange, AgentName, AgentResources, Digest};
use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

/// Maximum attempts of a change with concurrent writers.
const MAX_CHANGE_ATTEMPTS: u32 = 100;
/// Wait after a conflict with another writer.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Creates, shows, changes and clones the definitions of a repository.
#[derive(Clone)]
pub struct Manager {
    repository: Arc<dyn AgentRepository>,
}

/// A definition before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionUpdate {
    /// Definition before the change.
    pub before: Definition,
    /// Definition after the change.
    pub after: Definition,
}

impl Manager {
    /// Creates a manager of a repository.
    pub fn new(repository: Arc<dyn AgentRepository>) -> Self {
        Self { repository }
    }

    /// Current definition of an agent.
    pub async fn definition(&self, agent: &AgentName) -> Result<Definition, ManageError> {
        Definition::from_stored(self.repository.stored_agent(agent).await?)
    }

    /// Changes a definition atomically. `decide` computes the changes from the current definition; after a concurrent
    /// change it is called again. With an expected digest, the change is rejected instead.
    pub async fn change(
        &self,
        agent: &AgentName,
        role: ManageRole,
        expected: Option<&Digest>,
        decide: impl Fn(&Definition) -> Result<Vec<AgentChange>, ManageError>,
    ) -> Result<DefinitionUpdate, ManageError> {
        let replaced = self.replace(agent, |stored| {
            let before = Definition::from_stored(stored.clone())?;
            if expected.is_some_and(|expected| *expected != before.digest) {
                let detail = format!("the agent '{agent}' has been changed since it was read");
                return Err(manage_error(error_codes::AGENT_OUTDATED, detail));
            }
            let (after, changes) = apply_changes(&before.files, &decide(&before)?)?;
            guard::check(role, Some(&before), &after)?;
            Ok((before, changes))
        });
        let (before, stored) = replaced.await?.ok_or_else(|| {
            let detail = format!("other requests keep changing the agent '{agent}'; try again");
            manage_error(error_codes::AGENT_OUTDATED, detail)
        })?;
        Ok(DefinitionUpdate { before, after: Definition::from_stored(stored)? })
    }

    /// Replaces the files of an agent. `edit` computes the changes from the current files; it is called again after a
    /// concurrent change. `None` if other writers do not stop.
    pub(crate) async fn replace<T>(
        &self,
        agent: &AgentName,
        edit: impl Fn(&StoredAgent) -> Result<(T, FileChanges), ManageError>,
    ) -> Result<Option<(T, StoredAgent)>, ManageError> {
        for _ in 0..MAX_CHANGE_ATTEMPTS {
            let stored = self.repository.stored_agent(agent).await?;
            let (value, changes) = edit(&stored)?;
            match self.repository.replace(agent, &stored.digest, changes).await {
                Ok(stored) => return Ok(Some((value, stored))),
                Err(error) if error.code == error_codes::AGENT_OUTDATED => tokio::time::sleep(RETRY_INTERVAL).await,
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Resources of the agent if a change were applied to its current definition; writes nothing.
    pub async fn preview_change(
        &self,
        agent: &AgentName,
        role: ManageRole,
        decide: impl Fn(&Definition) -> Result<Vec<AgentChange>, ManageError>,
    ) -> Result<AgentResources, ManageError> {
        let before = self.definition(agent).await?;
        let (after, _) = apply_changes(&before.files, &decide(&before)?)?;
        guard::check(role, Some(&before), &after)?;
        Ok(read(&after)?.1)
    }

    /// Rejects enabling a server that starts a program, unless the caller is the owner.
    pub async fn check_server_start(
        &self,
        agent: &AgentName,
        role: ManageRole,
        server: &str,
    ) -> Result<(), ManageError> {
        match role {
            ManageRole::Owner => Ok(()),
            ManageRole::Administrator => guard::check_server_start(&self.definition(agent).await?, server),
        }
    }

    /// Creates an agent and starts serving it.
    pub async fn create(&self, request: CreateAgent, role: ManageRole) -> Result<Definition, ManageError> {
        let keeping = keeping(request.keep);
        self.make(files(&request, role)?, keeping).await
    }

    /// Clones an agent.
    pub async fn copy(&self, agent: &AgentName, request: &CloneAgent) -> Result<Definition, ManageError> {
        let files = clone::files(&self.definition(agent).await?, &request.name, request.title.as_deref())?;
        self.make(files, keeping(request.keep)).await
    }

    /// Creates an agent from files, without a permission check.
    pub async fn make(&self, files: AgentFiles, keeping: AgentPersistence) -> Result<Definition, ManageError> {
        Definition::from_stored(self.repository.create_agent(files, keeping).await?)
    }

    /// Stops serving an agent and deletes its definition; returns its former location.
    pub async fn delete(&self, agent: &AgentName, expected: Option<&Digest>) -> Result<AgentLocation, ManageError> {
        self.repository.delete_agent(agent, expected).await
    }
}

/// Files for a create request, if the role permits them.
pub(crate) fn files(request: &CreateAgent, role: ManageRole) -> Result<AgentFiles, ManageError> {
    let files = compose::files(request)?;
    guard::check(role, None, &files)?;
    Ok(files)
}

impl Manager {
    /// Files for a create request, to be stored by the caller.
    pub fn files(request: &CreateAgent, role: ManageRole) -> Result<AgentFiles, ManageError> {
        files(request, role)
    }

    /// Files of a clone, to be stored by the caller.
    pub async fn copied_files(
        &self,
        agent: &AgentName,
        name: &str,
        title: Option<&str>,
    ) -> Result<AgentFiles, ManageError> {
        clone::files(&self.definition(agent).await?, name, title)
    }
}

fn keeping(keep: Option<bool>) -> AgentPersistence {
    match keep {
        None => AgentPersistence::Default,
        Some(true) => AgentPersistence::Durable,
        Some(false) => AgentPersistence::Temporary,
    }
}

/// File changes by path; `None` deletes a file.
pub(crate) type FileChanges = BTreeMap<String, Option<Vec<u8>>>;

/// Applies all changes in order; returns the files and the required file changes.
pub(crate) fn apply_changes(
    files: &AgentFiles,
    changes: &[AgentChange],
) -> Result<(AgentFiles, FileChanges), ManageError> {
    let mut after = files.clone();
    let mut all = BTreeMap::new();
    for change in changes {
        let amended = amend(&after, change).map_err(|error| edit_error(&error))?;
        for (path, content) in amended.changes {
            match &content {
                Some(bytes) => drop(after.insert(path.clone(), bytes.clone())),
                None => drop(after.remove(&path)),
            }
            all.insert(path, content);
        }
    }
    read(&after)?;
    Ok((after, all))
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").finish_non_exhaustive()
    }
}
