//! Reads and replaces stored definitions as a whole.

use super::{
    AgentCatalog, DirectoryAgents,
    editor::{AgentDestination, unwritable},
    location::{AgentFilesLocation, AgentOrigin},
};
use crate::storage::SaveOutcome;
use baton_agentdir::EditError;
use baton_document::Diagnostic;
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, BoxFuture, StoredAgent,
};
use baton_types::{AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

impl AgentRepository for DirectoryAgents {
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        let agent = agent.clone();
        self.run_blocking(move |catalog| catalog.read_stored_agent(&agent))
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        let (agent, expected) = (agent.clone(), expected.clone());
        self.run_blocking(move |catalog| {
            let home = catalog.home(&agent)?;
            let saved = home.save(&expected, &changes).map_err(|error| unwritable(home.shown(), &error))?;
            // Reload even if nothing was written: the served definition may be older than the files.
            catalog.reload();
            if saved == SaveOutcome::Conflict {
                return Err(outdated(&agent));
            }
            catalog.read_stored_agent(&agent)
        })
    }

    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        persistence: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        self.run_blocking(move |catalog| {
            let name = catalog.create(&files, &catalog.destination(persistence)?)?;
            catalog.read_stored_agent(&name)
        })
    }

    fn delete_agent<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentLocation, AgentRepositoryError>> {
        let (agent, expected) = (agent.clone(), expected.cloned());
        self.run_blocking(move |catalog| catalog.delete_agent_files(&agent, expected.as_ref()))
    }
}

impl AgentCatalog {
    fn read_stored_agent(&self, agent: &AgentName) -> Result<StoredAgent, AgentRepositoryError> {
        let home = self.home(agent)?;
        let (content, _) = home.content();
        if content.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(home.refused(&EditError::Invalid(content.diagnostics)));
        }
        let location = home.location();
        Ok(StoredAgent { name: agent.clone(), files: content.files, digest: content.digest, location })
    }

    /// Deletes an agent's files, if they still match the digest.
    pub(super) fn delete_agent_files(
        &self,
        agent: &AgentName,
        expected: Option<&Digest>,
    ) -> Result<AgentLocation, AgentRepositoryError> {
        let home = self.home(agent)?;
        if expected.is_some_and(|expected| home.content().0.digest != *expected) {
            return Err(outdated(agent));
        }
        home.remove().map_err(|error| unwritable(home.shown(), &error))?;
        self.reload();
        Ok(home.location())
    }

    /// Selects the destination of a new agent.
    fn destination(&self, persistence: AgentPersistence) -> Result<AgentDestination, AgentRepositoryError> {
        let writable_folder = || {
            self.origins.iter().find_map(|origin| match origin {
                AgentOrigin::Folder(folder) => Some(AgentDestination::Folder(folder.clone())),
                AgentOrigin::Path(_) | AgentOrigin::Storage(_) => None,
            })
        };
        match persistence {
            AgentPersistence::Default => {
                writable_folder().map_or_else(|| self.storage().or_else(|_| self.folder()), Ok)
            }
            AgentPersistence::Temporary => self.storage(),
            AgentPersistence::Durable => writable_folder().map_or_else(|| self.folder(), Ok),
        }
    }
}

impl AgentFilesLocation {
    fn location(&self) -> AgentLocation {
        match self {
            Self::Disk(found) => {
                let shown = found.shown.strip_prefix(".").unwrap_or(&found.shown);
                let shown = if shown.as_os_str().is_empty() { &found.shown } else { shown };
                AgentLocation::Disk(shown.display().to_string())
            }
            Self::Storage(entry) => entry.storage.location(&entry.key),
        }
    }
}

fn outdated(agent: &AgentName) -> AgentRepositoryError {
    let detail = format!("the agent '{agent}' has been changed since it was read");
    AgentRepositoryError { code: ErrorCode::AGENT_OUTDATED, detail }
}
