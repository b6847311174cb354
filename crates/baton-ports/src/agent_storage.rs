//! Storage of agent files.

use crate::AgentLocation;
use baton_types::Digest;
use std::collections::BTreeMap;

/// The files of one agent: content by path relative to the agent's directory.
pub type AgentFiles = BTreeMap<String, Vec<u8>>;

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
