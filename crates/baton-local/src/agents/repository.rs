//! Reads and replaces stored definitions as a whole.

use super::{AgentCatalog, DirectoryAgents, location::AgentFilesLocation};
use crate::{error_codes, storage::SaveOutcome};
use baton_agentdir::EditError;
use baton_document::Diagnostic;
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, BoxFuture, StoredAgent,
};
use baton_types::{AgentName, Digest, ErrorCode};
use std::{collections::BTreeMap, io, path::Path, sync::Arc};
use tokio::task::spawn_blocking;

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
        self.run_blocking(move |catalog| catalog.replace_files(&agent, &expected, &changes))
    }

    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        persistence: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        self.run_blocking(move |catalog| {
            let name = catalog.create(&files, persistence)?;
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

impl DirectoryAgents {
    /// Runs blocking work in a thread where disk access is allowed.
    fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AgentCatalog) -> Result<T, AgentRepositoryError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, AgentRepositoryError>> {
        let catalog = Arc::clone(&self.catalog);
        let aborted = || rejection(ErrorCode::INTERNAL, "the change was aborted".to_owned());
        Box::pin(async move { spawn_blocking(move || work(&catalog)).await.unwrap_or_else(|_| Err(aborted())) })
    }
}

impl AgentCatalog {
    fn read_stored_agent(&self, agent: &AgentName) -> Result<StoredAgent, AgentRepositoryError> {
        let home = self.home(agent)?;
        let (content, _) = home.content();
        if content.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(home.unreadable(content.diagnostics));
        }
        let (location, directory) = (home.location(), home.shown_directory());
        Ok(StoredAgent { name: agent.clone(), files: content.files, digest: content.digest, location, directory })
    }

    /// Replaces files, if they still match the digest, and serves the result.
    fn replace_files(
        &self,
        agent: &AgentName,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<StoredAgent, AgentRepositoryError> {
        let home = self.home(agent)?;
        // A directory without write access is only an error if there is something to write.
        if !changes.is_empty() {
            let shown = match changes.keys().next() {
                Some(file) if changes.len() == 1 => home.shown_file(file),
                _ => home.shown().to_owned(),
            };
            let saved = home.save(expected, changes).map_err(|error| unwritable(&shown, &error))?;
            if saved == SaveOutcome::Conflict {
                self.reload();
                return Err(outdated(agent));
            }
        }
        // Reload even if nothing was written: the served definition may be older than the files.
        self.reload();
        let stored = self.read_stored_agent(agent)?;
        match changes.is_empty() && stored.digest != *expected {
            true => Err(outdated(agent)),
            false => Ok(stored),
        }
    }

    /// Deletes an agent's files, if they still match the digest.
    fn delete_agent_files(
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

    /// Location of the agent's files.
    fn home(&self, agent: &AgentName) -> Result<AgentFilesLocation, AgentRepositoryError> {
        self.check_reserved(agent, error_codes::AGENT_NOT_CHANGED)?;
        let missing = || rejection(ErrorCode::AGENT_NOT_FOUND, format!("no directory defines the agent '{agent}'"));
        self.now().find_by_name(agent).map(|scanned| scanned.home.clone()).ok_or_else(missing)
    }

    /// Rejects an access to an agent that the program defines in code.
    pub(super) fn check_reserved(&self, agent: &AgentName, code: ErrorCode) -> Result<(), AgentRepositoryError> {
        match self.reserved_names.get().is_some_and(|names| names.contains(agent)) {
            true => Err(rejection(code, format!("the agent '{agent}' is part of the program that serves it"))),
            false => Ok(()),
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

    /// Directory of the files as written by the user, or the storage key.
    fn shown_directory(&self) -> String {
        let directory = match self {
            Self::Disk(found) if found.file.is_some() => found.shown.parent().unwrap_or(&found.shown),
            Self::Disk(_) | Self::Storage(_) => self.shown(),
        };
        directory.strip_prefix(".").unwrap_or(directory).display().to_string()
    }

    /// Error for files that cannot be read.
    fn unreadable(&self, diagnostics: Vec<Diagnostic>) -> AgentRepositoryError {
        let error = EditError::Invalid(diagnostics);
        let shown = self.shown().strip_prefix(".").unwrap_or(self.shown());
        let detail = match shown.as_os_str().is_empty() {
            true => error.to_string(),
            false => format!("{}: {error}", shown.display()),
        };
        rejection(error.code(), detail)
    }
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> AgentRepositoryError {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "let the user that runs Baton write the file and its directory, or change it by hand"
        }
        _ => "nothing was changed",
    };
    rejection(error_codes::AGENT_NOT_CHANGED, format!("{} cannot be written: {error}; {hint}", path.display()))
}

fn outdated(agent: &AgentName) -> AgentRepositoryError {
    rejection(error_codes::AGENT_OUTDATED, format!("the agent '{agent}' has been changed since it was read"))
}

pub(super) fn rejection(code: ErrorCode, detail: String) -> AgentRepositoryError {
    AgentRepositoryError { code, detail }
}
