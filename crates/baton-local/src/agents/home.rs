//! Locations of agent files.

use crate::{
    discover::Found,
    files::{Content, Stamps},
    storage::{Saved, remove, save, settle},
};
use baton_agentdir::{AGENT_FILE, Diagnostic, Format, document::Place};
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
pub(super) enum Origin {
    /// A directory or a file.
    Path(PathBuf),
    /// The folder for new agents, which may be empty.
    Folder(PathBuf),
    /// A storage other than directories.
    Kept(Arc<dyn AgentStorage>),
}

/// Location of the files of one agent.
#[derive(Clone)]
pub(super) enum Home {
    /// A directory, or a file in it.
    Disk(Found),
    /// An entry of a storage.
    Kept(Kept),
}

/// An entry of a storage.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) storage: Arc<dyn AgentStorage>,
    /// Index of the storage in the list of origins.
    pub(super) number: usize,
    pub(super) key: String,
}

/// Evidence for detecting changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Stamps of files.
    Files(Arc<Stamps>),
    /// Stamp of a storage entry.
    Kept(Digest),
}

impl Seen {
    /// Whether any later change is detectable.
    pub(super) fn is_settled(&self) -> bool {
        match self {
            Self::Files(stamps) => stamps.is_settled,
            Self::Kept(_) => true,
        }
    }
}

/// Unique key of a location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spot {
    Disk(PathBuf, Option<String>),
    Kept(usize, String),
}

impl Spot {
    /// Whether the key stays valid after a restart.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::Disk(..))
    }

    /// Name of the agent's directory or file in its folder.
    pub(super) fn tail(&self) -> Option<&OsStr> {
        match self {
            Self::Disk(_, Some(file)) => Some(file.as_ref()),
            Self::Disk(directory, None) => directory.file_name(),
            Self::Kept(..) => None,
        }
    }
}

impl Home {
    pub(super) fn spot(&self) -> Spot {
        match self {
            Self::Disk(found) => Spot::Disk(found.real.clone(), found.file.clone()),
            Self::Kept(kept) => Spot::Kept(kept.number, kept.key.clone()),
        }
    }

    /// The path as written by the user.
    pub(super) fn shown(&self) -> &Path {
        match self {
            Self::Disk(found) => &found.shown,
            Self::Kept(kept) => Path::new(&kept.key),
        }
    }

    /// The path of a file, as written by the user.
    pub(super) fn shown_file(&self, file: &str) -> PathBuf {
        let path = match self {
            Self::Disk(found) => found.shown_file(file),
            Self::Kept(kept) => Path::new(&kept.key).join(file),
        };
        path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
    }

    /// Current stamps for detecting a change without reading the files.
    pub(super) fn stamps(&self, before: Option<&Seen>) -> Option<Seen> {
        match self {
            Self::Disk(found) => {
                let stamps = match before {
                    Some(Seen::Files(before)) => Stamps::again(found, before),
                    _ => Stamps::of(found),
                };
                Some(Seen::Files(Arc::new(stamps)))
            }
            Self::Kept(kept) => kept.storage.stamp(&kept.key).map(Seen::Kept),
        }
    }

    /// A consistent snapshot of the files.
    pub(super) fn content(&self) -> (Content, Option<Seen>) {
        match self {
            Self::Disk(found) => {
                let (content, stamps) = Content::read(found);
                if content.pending.is_some() {
                    settle(found);
                }
                (content, Some(Seen::Files(Arc::new(stamps))))
            }
            Self::Kept(kept) => {
                let stamp = kept.storage.stamp(&kept.key);
                match kept.storage.read(&kept.key) {
                    Ok((files, digest)) => {
                        // A stamp is valid only if it is unchanged after the read.
                        let after = kept.storage.stamp(&kept.key);
                        let seen = stamp.filter(|stamp| after.as_ref() == Some(stamp)).map(Seen::Kept);
                        (Content { files, diagnostics: Vec::new(), digest, pending: None }, seen)
                    }
                    Err(error) => {
                        let remark = Diagnostic::error(AGENT_FILE, Place::START, error.to_string());
                        let digest = Digest::compute(error.to_string().as_bytes());
                        let files = BTreeMap::new();
                        (Content { files, diagnostics: vec![remark], digest, pending: None }, None)
                    }
                }
            }
        }
    }

    /// Working directory of tools; `None` if its path is not UTF-8.
    pub(super) fn base(&self) -> Option<&str> {
        match self {
            Self::Disk(found) => found.real.to_str(),
            Self::Kept(_) => Some("."),
        }
    }

    /// The directory that tools must not leave.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Disk(found) => Some(&found.real),
            Self::Kept(_) => None,
        }
    }

    /// Replaces or deletes files atomically, if they still match the digest.
    pub(super) fn save(&self, expected: &Digest, changes: &BTreeMap<String, Option<Vec<u8>>>) -> io::Result<Saved> {
        match self {
            Self::Disk(found) => save(found, expected, changes),
            Self::Kept(kept) => match kept.storage.replace(&kept.key, expected, changes) {
                Ok(digest) => Ok(Saved::Done(digest)),
                Err(AgentStorageError::Conflict) => Ok(Saved::Not),
                Err(error) => Err(io::Error::other(error)),
            },
        }
    }

    /// Deletes all files.
    pub(super) fn remove(&self) -> io::Result<()> {
        match self {
            Self::Disk(found) => remove(found),
            Self::Kept(kept) => kept.storage.remove(&kept.key).map_err(io::Error::other),
        }
    }
}

/// Whether the files have another program's format, whose agents may share a name.
pub(super) fn is_foreign(content: &Content) -> bool {
    Format::of(&content.files).is_some_and(Format::is_foreign)
}
