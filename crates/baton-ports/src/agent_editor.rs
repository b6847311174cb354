//! Changing agent definitions, and the storage of their files.

use crate::{AgentLocation, BoxFuture};
use baton_types::{AgentChange, AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

/// The files of one agent: content by path relative to the agent's directory.
pub type AgentFiles = BTreeMap<String, Vec<u8>>;

/// Result of a change to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentUpdate {
    /// The file, with the path as it was given at startup.
    pub file: String,
    /// Whether the file was written; false if it already had this content.
    pub is_written: bool,
}

/// Error of a change to a definition; the definition is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct AgentRepositoryError {
    /// Stable error code.
    pub code: ErrorCode,
    /// The problem and its remedy.
    pub detail: String,
}

/// Applies changes to agent definitions, in their source files or in the memory of this process.
pub trait AgentEditor: Send + Sync + 'static {
    /// Changes a definition and keeps its file format. When this returns, the change is stored and applies to the next
    /// run.
    fn amend<'a>(
        &'a self,
        agent: &'a AgentName,
        change: AgentChange,
    ) -> BoxFuture<'a, Result<AgentUpdate, AgentRepositoryError>>;

    /// Starts serving a new agent from these files. Fails if the agent is already served or the files are invalid.
    fn create<'a>(&'a self, files: AgentFiles) -> BoxFuture<'a, Result<AgentName, AgentRepositoryError>>;

    /// Stops serving an agent and removes its definition; its journal records stay.
    fn remove<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<(), AgentRepositoryError>>;
}

/// Error of a read or write of agent files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentStorageError {
    /// The files were changed concurrently; read them again.
    #[error("it was changed concurrently")]
    Conflict,
    /// No agent has this key.
    #[error("it does not exist")]
    Missing,
    /// The key is already in use.
    #[error("it already exists")]
    Exists,
    /// The storage is unavailable.
    #[error("{0}")]
    Unavailable(String),
}

/// Stores the files of agents by key. The methods block: call them only where blocking is allowed.
pub trait AgentStorage: Send + Sync + 'static {
    /// All keys, in a stable order.
    fn keys(&self) -> Result<Vec<String>, AgentStorageError>;

    /// The files of an agent, and a digest over all of them.
    fn read(&self, key: &str) -> Result<(AgentFiles, Digest), AgentStorageError>;

    /// A cheap digest that differs after every change of the agent's files. With `None`, changes are detected later,
    /// because all files are read.
    fn stamp(&self, key: &str) -> Option<Digest> {
        let _ = key;
        None
    }

    /// Replaces files, or removes those without content, atomically and only if the digest still matches.
    fn replace(
        &self,
        key: &str,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Digest, AgentStorageError>;

    /// Stores the files of a new agent.
    fn create(&self, key: &str, files: &AgentFiles) -> Result<Digest, AgentStorageError>;

    /// Removes an agent with all of its files.
    fn remove(&self, key: &str) -> Result<(), AgentStorageError>;

    /// The location of an agent's files, for display.
    fn location(&self, key: &str) -> AgentLocation {
        let _ = key;
        AgentLocation::Storage
    }
}
