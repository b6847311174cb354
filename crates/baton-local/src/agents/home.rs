//! Where the files of one agent are.

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

/// Where agents are looked for.
#[derive(Clone)]
pub(super) enum Origin {
    /// A directory or a file.
    Path(PathBuf),
    /// A folder that may be empty, in which new agents are kept.
    Folder(PathBuf),
    /// Whatever somebody keeps.
    Kept(Arc<dyn AgentStorage>),
}

/// Where the files of one agent are.
#[derive(Clone)]
pub(super) enum Home {
    /// A directory, or a file in it.
    Disk(Found),
    /// Somebody keeps them.
    Kept(Kept),
}

/// Files that somebody keeps under a key.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) storage: Arc<dyn AgentStorage>,
    /// Which of those that are asked it is.
    pub(super) number: usize,
    pub(super) key: String,
}

/// What showed that nothing had changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// The stamps of files.
    Files(Arc<Stamps>),
    /// The stamp of whoever keeps them.
    Kept(Digest),
}

impl Seen {
    /// Whether a change would show.
    pub(super) fn is_settled(&self) -> bool {
        match self {
            Self::Files(stamps) => stamps.is_settled,
            Self::Kept(_) => true,
        }
    }
}

/// By what a home is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spot {
    Disk(PathBuf, Option<String>),
    Kept(usize, String),
}

impl Spot {
    /// Whether it means the same after a restart.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::Disk(..))
    }

    /// What the agent is called in its folder.
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

    /// As the user knows it.
    pub(super) fn shown(&self) -> &Path {
        match self {
            Self::Disk(found) => &found.shown,
            Self::Kept(kept) => Path::new(&kept.key),
        }
    }

    /// A file of it, as the user knows it.
    pub(super) fn shown_file(&self, file: &str) -> PathBuf {
        let path = match self {
            Self::Disk(found) => found.shown_file(file),
            Self::Kept(kept) => Path::new(&kept.key).join(file),
        };
        path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
    }

    /// What would show a change without reading anything.
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

    /// The files as they were at one moment.
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
                        // Only a stamp that is still the same afterwards stands for what was read.
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

    /// Where its tools run; nothing when its name cannot be written down.
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

    /// Replaces or removes files, all or none, if they are still those of the digest.
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

    /// Takes all files away.
    pub(super) fn remove(&self) -> io::Result<()> {
        match self {
            Self::Disk(found) => remove(found),
            Self::Kept(kept) => kept.storage.remove(&kept.key).map_err(io::Error::other),
        }
    }
}

/// Whether the files are in a form of another program, whose agents may share a name.
pub(super) fn is_foreign(content: &Content) -> bool {
    Format::of(&content.files).is_some_and(Format::is_foreign)
}
