//! Changing the definitions of agents, wherever they are kept.

use crate::{AgentPlace, BoxFuture};
use baton_types::{AgentChange, AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

/// The files of one agent: the path inside its directory, and the content.
pub type AgentFiles = BTreeMap<String, Vec<u8>>;

/// A change that stands in a definition now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentChanged {
    /// The file, as whoever started this Baton knows it.
    pub file: String,
    /// Whether it had to be written; it may have said so already.
    pub is_written: bool,
}

/// Why a definition was not changed; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct AgentBookError {
    /// The stable code.
    pub code: ErrorCode,
    /// What happened, and what to do.
    pub detail: String,
}

/// Where definitions are written down: the files that they come from, or the memory of this process.
pub trait AgentBook: Send + Sync + 'static {
    /// Changes a definition in the form that is found; kept, and in force for the next run, when this returns.
    fn amend<'a>(
        &'a self,
        agent: &'a AgentName,
        change: AgentChange,
    ) -> BoxFuture<'a, Result<AgentChanged, AgentBookError>>;

    /// Begins to serve an agent that nobody serves yet, made of these files; refused when they do not make one.
    fn create<'a>(&'a self, files: AgentFiles) -> BoxFuture<'a, Result<AgentName, AgentBookError>>;

    /// Stops serving an agent and forgets its definition; what it has done stays on record.
    fn remove<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<(), AgentBookError>>;
}

/// Why something that is kept could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentStorageError {
    /// Somebody else changed it meanwhile; look again.
    #[error("somebody else has changed it")]
    Changed,
    /// There is none of this key.
    #[error("it is not there")]
    Missing,
    /// There is one of this key already.
    #[error("it is there already")]
    Exists,
    /// It cannot be reached.
    #[error("{0}")]
    Failed(String),
}

/// Keeps the files of agents under keys; blocking, so call it where that is allowed.
pub trait AgentStorage: Send + Sync + 'static {
    /// The keys, in a stable order.
    fn keys(&self) -> Result<Vec<String>, AgentStorageError>;

    /// The files of one, and a digest of all of them.
    fn read(&self, key: &str) -> Result<(AgentFiles, Digest), AgentStorageError>;

    /// What is different after every change of one and costs little to find out; nothing when that cannot be told, and
    /// then a change is noticed later, because all is read for it.
    fn stamp(&self, key: &str) -> Option<Digest> {
        let _ = key;
        None
    }

    /// Replaces or, without content, removes files, all or none of them and only while the digest is still right.
    fn replace(
        &self,
        key: &str,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Digest, AgentStorageError>;

    /// Keeps the files of a new one.
    fn create(&self, key: &str, files: &AgentFiles) -> Result<Digest, AgentStorageError>;

    /// Forgets one, all of its files.
    fn remove(&self, key: &str) -> Result<(), AgentStorageError>;

    /// Where the files of one are, for people.
    fn place(&self, key: &str) -> AgentPlace {
        let _ = key;
        AgentPlace::Storage
    }
}
