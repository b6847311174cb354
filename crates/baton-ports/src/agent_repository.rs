//! Stored agent definitions, with optimistic concurrency control by digest.

use crate::{AgentFiles, AgentRepositoryError, BoxFuture};
use baton_types::{AgentName, Digest};
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
}

/// Repository of the definitions of served agents; changes take effect immediately.
pub trait AgentRepository: Send + Sync + 'static {
    /// The current files of an agent.
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>>;

    /// Replaces files, or removes those without content, atomically. Fails as outdated if the digest does not match.
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
