//! Agents created at runtime, in addition to those defined in code.

use crate::{Error, manage::Storage};
use baton_agentdir::parse_anywhere;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{AgentBookError, AgentFiles, AgentPlace, AgentShelf, BoxFuture, Keeping, KeptAgent};
use baton_types::{AgentName, Digest, ErrorCode};
use std::{collections::BTreeMap, sync::Arc};

/// Opens the agents of a storage; without one, they are kept in memory.
pub(super) async fn open(storage: Option<Storage>) -> Result<Arc<DirectoryAgents>, Error> {
    let storage = storage.map_or_else(|| Arc::new(MemoryStorage::new()) as _, |Storage(storage)| storage);
    // The storage may block on a disk or a network.
    let opened = tokio::task::spawn_blocking(move || DirectoryAgents::open_with(&[], vec![storage], None)).await;
    opened
        .map(Arc::new)
        .map_err(|error| Error::new(ErrorCode::INTERNAL, format!("the storage of agents failed: {error}")))
}

/// Repository of their definitions; names of agents defined in code are reserved.
pub(super) struct KeptShelf {
    pub(super) coded: Vec<AgentName>,
    pub(super) kept: Arc<DirectoryAgents>,
}

impl AgentShelf for KeptShelf {
    fn kept<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        match self.is_coded(agent) {
            true => refused(ErrorCode::AGENT_NOT_CHANGED, agent),
            false => self.kept.kept(agent),
        }
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        match self.is_coded(agent) {
            true => refused(ErrorCode::AGENT_NOT_CHANGED, agent),
            false => self.kept.replace(agent, expected, changes),
        }
    }

    fn make<'a>(&'a self, files: AgentFiles, keeping: Keeping) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        match parse_anywhere(&files).agent.filter(|agent| self.is_coded(&agent.name)) {
            Some(agent) => refused(ErrorCode::NAME_TAKEN, &agent.name),
            None => self.kept.make(files, keeping),
        }
    }

    fn discard<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentPlace, AgentBookError>> {
        match self.is_coded(agent) {
            true => refused(ErrorCode::AGENT_NOT_CHANGED, agent),
            false => self.kept.discard(agent, expected),
        }
    }
}

impl KeptShelf {
    fn is_coded(&self, agent: &AgentName) -> bool {
        self.coded.contains(agent)
    }
}

fn refused<'a, T: Send + 'a>(code: ErrorCode, agent: &AgentName) -> BoxFuture<'a, Result<T, AgentBookError>> {
    let detail = format!("the agent '{agent}' is part of the program that serves it");
    Box::pin(std::future::ready(Err(AgentBookError { code, detail })))
}
