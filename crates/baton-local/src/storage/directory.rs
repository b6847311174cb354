//! Agents in a folder, each a directory or a single file.

use super::{SaveOutcome, create, finish_pending, remove, save};
use crate::{
    LoadError,
    discover::{DiscoveredAgent, discover, is_draft},
    files::{AgentContent, AgentStamps},
};
use baton_document::Diagnostic;
use baton_ports::{AgentFiles, AgentLocation, AgentStorage, AgentStorageError};
use baton_types::Digest;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

/// Stores agents in a folder; the key is the name of the directory or file.
#[derive(Clone, Debug)]
pub struct DirectoryStorage {
    folder: PathBuf,
}

impl DirectoryStorage {
    /// Creates a storage for this folder, which is created with the first agent.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn found(&self, key: &str) -> Result<DiscoveredAgent, AgentStorageError> {
        if !is_plain(key) {
            return Err(AgentStorageError::Missing);
        }
        let path = self.folder.join(key);
        let is_it = |found: &DiscoveredAgent| found.shown == path;
        let found = discover(&path, 0, &|_| true).map_err(unreadable)?;
        found.into_iter().find(is_it).ok_or(AgentStorageError::Missing)
    }
}

impl AgentStorage for DirectoryStorage {
    fn keys(&self) -> Result<Vec<String>, AgentStorageError> {
        let found = match discover(&self.folder, 0, &|_| false) {
            Ok(found) => found,
            Err(LoadError::Missing { .. } | LoadError::Empty { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let inside = found.into_iter().filter(|found| found.shown.parent() == Some(&self.folder));
        let mut keys: Vec<String> = inside.filter_map(|found| key(&found.shown)).collect();
        keys.sort();
        Ok(keys)
    }

    fn read(&self, key: &str) -> Result<(AgentFiles, Digest), AgentStorageError> {
        let found = self.found(key)?;
        let (content, _) = AgentContent::read(&found);
        if content.pending.is_some() {
            finish_pending(&found);
        }
        match content.diagnostics.iter().find(|remark| Diagnostic::is_error(remark)) {
            Some(remark) => Err(AgentStorageError::Unavailable(remark.to_string())),
            None => Ok((content.files, content.digest)),
        }
    }

    fn stamp(&self, key: &str) -> Option<Digest> {
        let stamps = AgentStamps::collect(&self.found(key).ok()?);
        stamps.is_settled.then(|| stamps.digest())
    }

    fn replace(
        &self,
        key: &str,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Digest, AgentStorageError> {
        match save(&self.found(key)?, expected, changes).map_err(|error| failed(&error))? {
            SaveOutcome::Done(digest) => Ok(digest),
            SaveOutcome::Conflict => Err(AgentStorageError::Conflict),
        }
    }

    fn create(&self, key: &str, files: &AgentFiles) -> Result<Digest, AgentStorageError> {
        if !is_plain(key) {
            return Err(AgentStorageError::Unavailable(format!("{key:?} cannot be the name of a directory")));
        }
        let created = create(&self.folder, key, files).map_err(|error| failed(&error))?;
        Ok(AgentContent::read(&created).0.digest)
    }

    fn remove(&self, key: &str) -> Result<(), AgentStorageError> {
        remove(&self.found(key)?).map_err(|error| failed(&error))
    }

    fn location(&self, key: &str) -> AgentLocation {
        AgentLocation::Disk(self.folder.join(key).display().to_string())
    }
}

/// Whether a key is a valid name inside the folder.
fn is_plain(key: &str) -> bool {
    let is_odd = |c: char| c == '/' || c == '\\' || c == ':' || c.is_control();
    !key.is_empty() && key != "." && key != ".." && key.len() <= 128 && !key.contains(is_odd) && !is_draft(key)
}

fn key(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(str::to_owned)
}

fn unreadable(error: LoadError) -> AgentStorageError {
    match error {
        LoadError::Missing { .. } | LoadError::Empty { .. } => AgentStorageError::Missing,
        error => AgentStorageError::Unavailable(error.to_string()),
    }
}

fn failed(error: &io::Error) -> AgentStorageError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => AgentStorageError::Exists,
        io::ErrorKind::NotFound => AgentStorageError::Missing,
        io::ErrorKind::WouldBlock => AgentStorageError::Conflict,
        _ => AgentStorageError::Unavailable(error.to_string()),
    }
}
