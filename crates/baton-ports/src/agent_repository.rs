//! Stored agent definitions, with optimistic concurrency control by digest.

use crate::{AgentFiles, BoxFuture};
use baton_types::{AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

/// Location of an agent's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentLocation {
    /// In the memory of this process, lost when it exits.
    Memory,
    /// On disk, in this directory or file, with the path as it was given at startup.
    Disk(String),
    /// In a storage that the embedding program provides.
    Storage,
}

/// Where a new agent is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentPersistence {
    /// In the folder for new agents if there is one, otherwise in memory.
    #[default]
    Default,
    /// In memory, unless the embedding program provides a storage.
    Temporary,
    /// On disk.
    Durable,
}

/// A snapshot of an agent's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAgent {
    /// The name under which the agent is served.
    pub name: AgentName,
    /// All of its files.
    pub files: AgentFiles,
    /// Digest over all files.
    pub digest: Digest,
    /// Location of the files.
    pub location: AgentLocation,
    /// Directory of the files for display: a path as it was given at startup, or a storage key. Empty for the current
    /// directory.
    pub directory: String,
}

/// Error of an access to a definition; the definition is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct AgentRepositoryError {
    /// Stable error code.
    pub code: ErrorCode,
    /// The problem and its remedy.
    pub detail: String,
}

/// Repository of the definitions of served agents, over an [`crate::AgentStorage`]. The only port that changes a
/// definition: every change reads the files, computes new ones and replaces them. Changes take effect immediately.
pub trait AgentRepository: Send + Sync + 'static {
    /// The current files of an agent.
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>>;

    /// Replaces files, or removes those without content, atomically. Fails as outdated if the digest does not match or
    /// another process is writing. Without changes, nothing is written, but the stored version is served.
    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>>;

    /// Starts serving a new agent. Fails if the agent is already served or the files are invalid.
    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        persistence: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>>;

    /// Stops serving an agent and removes its definition. Fails as outdated if a digest is given that does not match.
    fn delete_agent<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentLocation, AgentRepositoryError>>;
}
