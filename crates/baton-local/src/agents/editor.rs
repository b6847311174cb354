//! Edits, creates and deletes agent definitions.

use super::{
    AgentCatalog, DirectoryAgents,
    location::{AgentFilesLocation, AgentOrigin, StorageEntry},
};
use crate::storage::{SaveOutcome, create};
use baton_agentdir::{AgentAmendment, EditError, amend, parse};
use baton_document::Diagnostic;
use baton_ports::{
    AgentEditor, AgentFiles, AgentRepositoryError, AgentStorage, AgentStorageError, AgentUpdate, BoxFuture,
};
use baton_types::{AgentChange, AgentName, ErrorCode};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::task::spawn_blocking;

/// Maximum attempts when another process writes at the same time.
const MAX_EDIT_ATTEMPTS: u32 = 100;
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// Edits the files of agents. A new agent becomes a directory in the first agent folder.
impl AgentEditor for DirectoryAgents {
    fn amend<'a>(
        &'a self,
        agent: &'a AgentName,
        change: AgentChange,
    ) -> BoxFuture<'a, Result<AgentUpdate, AgentRepositoryError>> {
        let name = agent.clone();
        Box::pin(retry_on_conflict(&self.catalog, agent, Arc::new(move |catalog| catalog.amend(&name, &change))))
    }

    fn create<'a>(&'a self, files: AgentFiles) -> BoxFuture<'a, Result<AgentName, AgentRepositoryError>> {
        self.run_blocking(move |catalog| catalog.create(&files, &catalog.folder()?))
    }

    fn remove<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<(), AgentRepositoryError>> {
        let agent = agent.clone();
        self.run_blocking(move |catalog| catalog.delete_agent_files(&agent, None).map(drop))
    }
}

impl DirectoryAgents {
    /// Runs blocking work in a thread where disk access is allowed.
    pub(super) fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AgentCatalog) -> Result<T, AgentRepositoryError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, AgentRepositoryError>> {
        let catalog = Arc::clone(&self.catalog);
        Box::pin(async move { spawn_blocking(move || work(&catalog)).await.unwrap_or_else(|_| Err(task_error())) })
    }
}

/// Destination of a new agent.
pub(super) enum AgentDestination {
    Folder(PathBuf),
    Storage(Arc<dyn AgentStorage>),
}

/// One attempt at a change; returns `None` after a concurrent write.
pub(super) type EditAttempt<T> = Arc<dyn Fn(&AgentCatalog) -> Result<Option<T>, AgentRepositoryError> + Send + Sync>;

/// Retries a change until there is no concurrent write.
pub(super) async fn retry_on_conflict<T: Send + 'static>(
    catalog: &Arc<AgentCatalog>,
    agent: &AgentName,
    change: EditAttempt<T>,
) -> Result<T, AgentRepositoryError> {
    for _ in 0..MAX_EDIT_ATTEMPTS {
        let (catalog, change) = (Arc::clone(catalog), Arc::clone(&change));
        let tried = spawn_blocking(move || change(&catalog)).await.unwrap_or_else(|_| Err(task_error()));
        if let Some(changed) = tried? {
            return Ok(changed);
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
    let detail = format!("another process keeps changing the files of '{agent}'; try again");
    Err(failed(ErrorCode::AGENT_NOT_CHANGED, detail))
}

impl AgentCatalog {
    /// Location of the agent's files.
    pub(super) fn home(&self, agent: &AgentName) -> Result<AgentFilesLocation, AgentRepositoryError> {
        let missing = || failed(ErrorCode::AGENT_NOT_FOUND, format!("no directory defines the agent '{agent}'"));
        self.now().find_by_name(agent).map(|scanned| scanned.home.clone()).ok_or_else(missing)
    }

    /// One attempt; `None` after a concurrent write.
    fn amend(&self, agent: &AgentName, change: &AgentChange) -> Result<Option<AgentUpdate>, AgentRepositoryError> {
        let home = self.home(agent)?;
        let (content, _) = home.content();
        let amended = match content.diagnostics.iter().any(Diagnostic::is_error) {
            true => Err(EditError::Invalid(content.diagnostics)),
            false => amend(&content.files, change),
        };
        let AgentAmendment { file, changes } = amended.map_err(|error| home.refused(&error))?;
        let shown = home.shown_file(&file);
        let is_written = !changes.is_empty();
        if is_written {
            let saved = home.save(&content.digest, &changes);
            if saved.map_err(|error| unwritable(&shown, &error))? == SaveOutcome::Conflict {
                return Ok(None);
            }
        }
        // Reload even if nothing was written: the served definition may be older than the file.
        self.reload();
        Ok(Some(AgentUpdate { file: shown.display().to_string(), is_written }))
    }

    /// Stores a new agent and serves it.
    pub(super) fn create(
        &self,
        files: &AgentFiles,
        destination: &AgentDestination,
    ) -> Result<AgentName, AgentRepositoryError> {
        let parsed = parse(files, ".");
        let Some(agent) = parsed.agent else {
            let lines: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
            return Err(failed(ErrorCode::AGENT_INVALID, lines.join("\n")));
        };
        if let Some(check) = &self.check {
            let remarks = check(&agent);
            if remarks.iter().any(Diagnostic::is_error) {
                let lines: Vec<String> = remarks.iter().map(ToString::to_string).collect();
                return Err(failed(ErrorCode::AGENT_INVALID, lines.join("\n")));
            }
        }
        let name = agent.name;
        let is_taken = || {
            let detail = format!("the agent '{name}' already exists; change it, or choose another name");
            failed(ErrorCode::NAME_TAKEN, detail)
        };
        if self.now().served(&name).is_some() {
            return Err(is_taken());
        }
        let home: AgentFilesLocation = match destination {
            AgentDestination::Folder(folder) => match create(folder, name.as_str(), files) {
                Ok(found) => AgentFilesLocation::Disk(found),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(is_taken()),
                Err(error) => {
                    let path = folder.join(name.as_str());
                    return Err(unwritable(&path, &error));
                }
            },
            AgentDestination::Storage(storage) => match storage.create(name.as_str(), files) {
                Ok(_) => {
                    let (storage, key) = (Arc::clone(storage), name.to_string());
                    AgentFilesLocation::Storage(StorageEntry { number: self.origin_index(&storage), storage, key })
                }
                Err(AgentStorageError::Exists) => return Err(is_taken()),
                Err(error) => return Err(failed(ErrorCode::AGENT_NOT_CHANGED, error.to_string())),
            },
        };
        let reload = self.reload();
        let now = self.now();
        match now.find(&home.location_key()).and_then(|scanned| scanned.served.as_ref()) {
            Some(served) => Ok(served.name().clone()),
            None => {
                let entry = home.shown().display().to_string();
                let reason = reload.unusable.into_iter().find(|unusable| unusable.entry == entry);
                // An agent that cannot be served is removed again.
                let _ = home.remove();
                self.reload();
                let reason = reason.map_or_else(|| "it cannot be used".to_owned(), |unusable| unusable.reason);
                Err(failed(ErrorCode::AGENT_INVALID, reason))
            }
        }
    }

    /// The first agent folder; a path that is itself an agent does not count.
    pub(super) fn folder(&self) -> Result<AgentDestination, AgentRepositoryError> {
        let now = self.now();
        let is_agent = |path: &Path| now.scanned_agents.iter().any(|scanned| scanned.home.shown() == path);
        let folders = self.origins.iter().filter_map(|origin| match origin {
            AgentOrigin::Path(path) if !is_agent(path) && !path.is_file() => Some(path),
            AgentOrigin::Path(_) | AgentOrigin::Folder(_) | AgentOrigin::Storage(_) => None,
        });
        let none = || {
            let detail = "no agent directory is served; start Baton with one, such as `baton up agents`";
            failed(ErrorCode::AGENT_NOT_CHANGED, detail.to_owned())
        };
        folders.cloned().map(AgentDestination::Folder).next().ok_or_else(none)
    }

    /// The first storage other than directories.
    pub(super) fn storage(&self) -> Result<AgentDestination, AgentRepositoryError> {
        let storages = self.origins.iter().filter_map(|origin| match origin {
            AgentOrigin::Storage(storage) => Some(AgentDestination::Storage(Arc::clone(storage))),
            AgentOrigin::Path(_) | AgentOrigin::Folder(_) => None,
        });
        let none = || failed(ErrorCode::AGENT_NOT_CHANGED, "there is no storage other than directories".to_owned());
        storages.into_iter().next().ok_or_else(none)
    }

    /// Index of a storage in the list of origins.
    fn origin_index(&self, storage: &Arc<dyn AgentStorage>) -> usize {
        let is_it = |origin: &AgentOrigin| matches!(origin, AgentOrigin::Storage(own) if Arc::ptr_eq(own, storage));
        self.origins.iter().position(is_it).unwrap_or(self.origins.len())
    }
}

impl AgentFilesLocation {
    /// Error for a rejected change.
    pub(super) fn refused(&self, error: &EditError) -> AgentRepositoryError {
        let shown = self.shown().strip_prefix(".").unwrap_or(self.shown());
        let detail = match shown.as_os_str().is_empty() {
            true => error.to_string(),
            false => format!("{}: {error}", shown.display()),
        };
        failed(error.code(), detail)
    }
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> AgentRepositoryError {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "let the user that runs Baton write the file and its directory, or change it by hand"
        }
        _ => "nothing was changed",
    };
    failed(ErrorCode::AGENT_NOT_CHANGED, format!("{} cannot be written: {error}; {hint}", path.display()))
}

fn failed(code: ErrorCode, detail: String) -> AgentRepositoryError {
    AgentRepositoryError { code, detail }
}

fn task_error() -> AgentRepositoryError {
    failed(ErrorCode::INTERNAL, "the change was aborted".to_owned())
}
