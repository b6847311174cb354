//! Definitions as they are kept: read with their digest, replaced only while that is right, made and taken away.

use crate::{AgentBookError, AgentFiles, BoxFuture};
use baton_types::{AgentName, Digest};
use std::collections::BTreeMap;

/// Where the files of an agent are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// In the memory of this process, and gone with it.
    Memory,
    /// On disk, in this directory or file, as whoever started this Baton knows it.
    Disk(String),
    /// In a storage of the program that serves the agent.
    Storage,
}

/// Where a new agent is to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// In the folder for new agents, if there is one, else where it is gone with the process.
    #[default]
    Usual,
    /// Where it is gone with the process, unless the program has a storage of its own.
    Passing,
    /// On disk.
    Lasting,
}

/// The files of one agent at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAgent {
    /// The name under which it is served.
    pub name: AgentName,
    /// All of its files.
    pub files: AgentFiles,
    /// Of all files.
    pub digest: Digest,
    /// Where they are.
    pub place: AgentPlace,
}

/// Keeps the definitions of the agents that are served; what it has replaced, made or taken away is in force at once.
pub trait AgentShelf: Send + Sync + 'static {
    /// The files of an agent as they are now.
    fn kept<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>>;

    /// Replaces or, without content, removes files, all or none; refused as outdated when the digest is not theirs.
    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>>;

    /// Begins to serve an agent that nobody serves yet; refused when the files do not make one.
    fn make<'a>(&'a self, files: AgentFiles, keeping: Keeping) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>>;

    /// Stops serving an agent and forgets its definition; refused as outdated when a digest is given that is not its own.
    fn discard<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentPlace, AgentBookError>>;
}
