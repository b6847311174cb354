//! Creates agents.

use super::{
    AgentCatalog,
    location::{AgentFilesLocation, AgentOrigin, StorageEntry},
    repository::{rejection, unwritable},
};
use crate::{error_codes, storage::create};
use baton_agentdir::parse;
use baton_document::Diagnostic;
use baton_ports::{AgentFiles, AgentPersistence, AgentRepositoryError, AgentStorage, AgentStorageError};
use baton_types::{AgentName, ErrorCode};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Destination of a new agent.
enum AgentDestination {
    Folder(PathBuf),
    Storage(Arc<dyn AgentStorage>),
}

impl AgentCatalog {
    /// Stores a new agent and serves it.
    pub(super) fn create(
        &self,
        files: &AgentFiles,
        persistence: AgentPersistence,
    ) -> Result<AgentName, AgentRepositoryError> {
        let destination = self.destination(persistence)?;
        let parsed = parse(files, ".");
        let Some(agent) = parsed.agent else {
            let lines: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
            return Err(rejection(ErrorCode::AGENT_INVALID, lines.join("\n")));
        };
        if let Some(check) = &self.check {
            let remarks = check(&agent);
            if remarks.iter().any(Diagnostic::is_error) {
                let lines: Vec<String> = remarks.iter().map(ToString::to_string).collect();
                return Err(rejection(ErrorCode::AGENT_INVALID, lines.join("\n")));
            }
        }
        let name = agent.name;
        self.check_reserved(&name, error_codes::NAME_TAKEN)?;
        let is_taken = || {
            let detail = format!("the agent '{name}' already exists; change it, or choose another name");
            rejection(error_codes::NAME_TAKEN, detail)
        };
        if self.now().served(&name).is_some() {
            return Err(is_taken());
        }
        let home = match &destination {
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
                Err(error) => return Err(rejection(error_codes::AGENT_NOT_CHANGED, error.to_string())),
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
                Err(rejection(ErrorCode::AGENT_INVALID, reason))
            }
        }
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

    /// The first agent folder; a path that is itself an agent does not count.
    fn folder(&self) -> Result<AgentDestination, AgentRepositoryError> {
        let now = self.now();
        let is_agent = |path: &Path| now.scanned_agents.iter().any(|scanned| scanned.home.shown() == path);
        let folders = self.origins.iter().filter_map(|origin| match origin {
            AgentOrigin::Path(path) if !is_agent(path) && !path.is_file() => Some(path),
            AgentOrigin::Path(_) | AgentOrigin::Folder(_) | AgentOrigin::Storage(_) => None,
        });
        let none = || {
            let detail = "no agent directory is served; start Baton with one, such as `baton up agents`";
            rejection(error_codes::AGENT_NOT_CHANGED, detail.to_owned())
        };
        folders.cloned().map(AgentDestination::Folder).next().ok_or_else(none)
    }

    /// The first storage other than directories.
    fn storage(&self) -> Result<AgentDestination, AgentRepositoryError> {
        let storages = self.origins.iter().filter_map(|origin| match origin {
            AgentOrigin::Storage(storage) => Some(AgentDestination::Storage(Arc::clone(storage))),
            AgentOrigin::Path(_) | AgentOrigin::Folder(_) => None,
        });
        let none =
            || rejection(error_codes::AGENT_NOT_CHANGED, "there is no storage other than directories".to_owned());
        storages.into_iter().next().ok_or_else(none)
    }

    /// Index of a storage in the list of origins.
    fn origin_index(&self, storage: &Arc<dyn AgentStorage>) -> usize {
        let is_it = |origin: &AgentOrigin| matches!(origin, AgentOrigin::Storage(own) if Arc::ptr_eq(own, storage));
        self.origins.iter().position(is_it).unwrap_or(self.origins.len())
    }
}
