//! Stored agent definitions, with optimistic concurrency control by digest.

use crate::{AgentBookError, AgentFiles, BoxFuture};
use baton_types::{AgentName, Digest};
use std::collections::BTreeMap;

/// Location of an agent's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// In the memory of this process, lost when it exits.
    Memory,
    /// On disk, in this directory or file, with the path as it was given at startup.
    Disk(String),
    /// In a storage that the embedding program provides.
    Storage,
}

/// Where a new agent is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// In the folder for new agents if there is one, otherwise in memory.
    #[default]
    Usual,
    /// In memory, unless the embedding program provides a storage.
    Passing,
    /// On disk.
    Lasting,
}

/// A snapshot of an agent's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAgent {
    /// The name under which the agent is served.
    pub name: AgentName,
    /// All of its files.
    pub files: AgentFiles,
    /// Digest over all files.
    pub digest: Digest,
    /// Location of the files.
    pub place: AgentPlace,
}

/// Repository of the definitions of served agents; changes take effect immediately.
pub trait AgentShelf: Send + Sync + 'static {
    /// The current files of an agent.
    fn kept<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>>;

    /// Replaces files, or removes those without content, atomically. Fails as outdated if the digest does not match.
    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>>;

    /// Starts serving a new agent. Fails if the agent is already served or the files are invalid.
    fn make<'a>(&'a self, files: AgentFiles, keeping: Keeping) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>>;

    /// Stops serving an agent and removes its definition. Fails as outdated if a digest is given that does not match.
    fn discard<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentPlace, AgentBookError>>;
}
