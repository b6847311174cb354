//! Locations of agent files.

use crate::{
    discover::DiscoveredAgent,
    files::{AgentContent, AgentStamps},
    storage::{SaveOutcome, finish_pending, remove, save},
};
use baton_agentdir::{AGENT_FILE, Format};
use baton_document::{Diagnostic, SourceLocation};
use baton_ports::{AgentStorage, AgentStorageError};
use baton_types::Digest;
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A place to search for agents.
#[derive(Clone)]
pub(super) enum AgentOrigin {
    /// A directory or a file.
    Path(PathBuf),
    /// The folder for new agents, which may be empty.
    Folder(PathBuf),
    /// A storage other than directories.
    Storage(Arc<dyn AgentStorage>),
}

/// Location of the files of one agent.
#[derive(Clone)]
pub(super) enum AgentFilesLocation {
    /// A directory, or a file in it.
    Disk(DiscoveredAgent),
    /// An entry of a storage.
    Storage(StorageEntry),
}

/// An entry of a storage.
#[derive(Clone)]
pub(super) struct StorageEntry {
    pub(super) storage: Arc<dyn AgentStorage>,
    /// Index of the storage in the list of origins.
    pub(super) number: usize,
    pub(super) key: String,
}

/// Evidence for detecting changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChangeStamp {
    /// Stamps of files.
    Files(Arc<AgentStamps>),
    /// Stamp of a storage entry.
    Storage(Digest),
}

impl ChangeStamp {
    /// Whether any later change is detectable.
    pub(super) fn is_settled(&self) -> bool {
        match self {
            Self::Files(stamps) => stamps.is_settled,
            Self::Storage(_) => true,
        }
    }
}

/// Unique key of a location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LocationKey {
    Disk(PathBuf, Option<String>),
    Storage(usize, String),
}

impl LocationKey {
    /// Whether the key stays valid after a restart.
    pub(super) fn is_durable(&self) -> bool {
        matches!(self, Self::Disk(..))
    }

    /// Name of the agent's directory or file in its folder.
    pub(super) fn last_component(&self) -> Option<&OsStr> {
        match self {
            Self::Disk(_, Some(file)) => Some(file.as_ref()),
            Self::Disk(directory, None) => directory.file_name(),
            Self::Storage(..) => None,
        }
    }
}

impl AgentFilesLocation {
    pub(super) fn location_key(&self) -> LocationKey {
        match self {
            Self::Disk(found) => LocationKey::Disk(found.real.clone(), found.file.clone()),
            Self::Storage(entry) => LocationKey::Storage(entry.number, entry.key.clone()),
        }
    }

    /// The path as written by the user.
    pub(super) fn shown(&self) -> &Path {
        match self {
            Self::Disk(found) => &found.shown,
            Self::Storage(entry) => Path::new(&entry.key),
        }
    }

    /// The path of a file, as written by the user.
    pub(super) fn shown_file(&self, file: &str) -> PathBuf {
        let path = match self {
            Self::Disk(found) => found.shown_file(file),
            Self::Storage(entry) => Path::new(&entry.key).join(file),
        };
        path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
    }

    /// Current stamps for detecting a change without reading the files.
    pub(super) fn stamps(&self, before: Option<&ChangeStamp>) -> Option<ChangeStamp> {
        match self {
            Self::Disk(found) => {
                let stamps = match before {
                    Some(ChangeStamp::Files(before)) => AgentStamps::collect_since(found, before),
                    _ => AgentStamps::collect(found),
                };
                Some(ChangeStamp::Files(Arc::new(stamps)))
            }
            Self::Storage(entry) => entry.storage.stamp(&entry.key).map(ChangeStamp::Storage),
        }
    }

    /// A consistent snapshot of the files.
    pub(super) fn content(&self) -> (AgentContent, Option<ChangeStamp>) {
        match self {
            Self::Disk(found) => {
                let (content, stamps) = AgentContent::read(found);
                if content.pending.is_some() {
                    finish_pending(found);
                }
                (content, Some(ChangeStamp::Files(Arc::new(stamps))))
            }
            Self::Storage(entry) => {
                let stamp = entry.storage.stamp(&entry.key);
                match entry.storage.read(&entry.key) {
                    Ok((files, digest)) => {
                        // A stamp is valid only if it is unchanged after the read.
                        let after = entry.storage.stamp(&entry.key);
                        let stable_stamp =
                            stamp.filter(|stamp| after.as_ref() == Some(stamp)).map(ChangeStamp::Storage);
                        (AgentContent { files, diagnostics: Vec::new(), digest, pending: None }, stable_stamp)
                    }
                    Err(error) => {
                        let remark = Diagnostic::error(AGENT_FILE, SourceLocation::START, error.to_string());
                        let digest = Digest::compute(error.to_string().as_bytes());
                        let files = BTreeMap::new();
                        (AgentContent { files, diagnostics: vec![remark], digest, pending: None }, None)
                    }
                }
            }
        }
    }

    /// Working directory of tools; `None` if its path is not UTF-8.
    pub(super) fn base(&self) -> Option<&str> {
        match self {
            Self::Disk(found) => found.real.to_str(),
            Self::Storage(_) => Some("."),
        }
    }

    /// The directory that tools must not leave.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Disk(found) => Some(&found.real),
            Self::Storage(_) => None,
        }
    }

    /// Replaces or deletes files atomically, if they still match the digest.
    pub(super) fn save(
        &self,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> io::Result<SaveOutcome> {
        match self {
            Self::Disk(found) => save(found, expected, changes),
            Self::Storage(entry) => match entry.storage.replace(&entry.key, expected, changes) {
                Ok(digest) => Ok(SaveOutcome::Done(digest)),
                Err(AgentStorageError::Conflict) => Ok(SaveOutcome::Conflict),
                Err(error) => Err(io::Error::other(error)),
            },
        }
    }

    /// Deletes all files.
    pub(super) fn remove(&self) -> io::Result<()> {
        match self {
            Self::Disk(found) => remove(found),
            Self::Storage(entry) => entry.storage.remove(&entry.key).map_err(io::Error::other),
        }
    }
}

/// Whether the files have another program's format, whose agents may share a name.
pub(super) fn is_foreign(content: &AgentContent) -> bool {
    Format::detect(&content.files).is_some_and(Format::is_foreign)
}
