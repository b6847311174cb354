//! Agents created at runtime, in addition to those defined in code.

use crate::{Error, manage::ProgramStorage};
use baton_agentdir::parse_anywhere;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, BoxFuture, StoredAgent,
};
use baton_types::{AgentName, Digest, ErrorCode};
use std::{collections::BTreeMap, sync::Arc};

/// Opens the agents of a storage; without one, they are kept in memory.
pub(super) async fn open(storage: Option<ProgramStorage>) -> Result<Arc<DirectoryAgents>, Error> {
    let storage = storage.map_or_else(|| Arc::new(MemoryStorage::new()) as _, |ProgramStorage(storage)| storage);
    // The storage may block on a disk or a network.
    let opened = tokio::task::spawn_blocking(move || DirectoryAgents::open_with(&[], vec![storage], None)).await;
    opened
        .map(Arc::new)
        .map_err(|error| Error::new(ErrorCode::INTERNAL, format!("the storage of agents failed: {error}")))
}

/// Repository of their definitions; names of agents defined in code are reserved.
pub(super) struct RuntimeAgentRepository {
    pub(super) reserved_names: Vec<AgentName>,
    pub(super) agents: Arc<DirectoryAgents>,
}

impl AgentRepository for RuntimeAgentRepository {
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        match self.is_reserved(agent) {
            true => refused(ErrorCode::AGENT_NOT_CHANGED, agent),
            false => self.agents.stored_agent(agent),
        }
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        match self.is_reserved(agent) {
            true => refused(ErrorCode::AGENT_NOT_CHANGED, agent),
            false => self.agents.replace(agent, expected, changes),
        }
    }

    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        keeping: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        match parse_anywhere(&files).agent.filter(|agent| self.is_reserved(&agent.name)) {
            Some(agent) => refused(ErrorCode::NAME_TAKEN, &agent.name),
            None => self.agents.create_agent(files, keeping),
        }
    }

    fn delete_agent<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentLocation, AgentRepositoryError>> {
        match self.is_reserved(agent) {
            true => refused(ErrorCode::AGENT_NOT_CHANGED, agent),
            false => self.agents.delete_agent(agent, expected),
        }
    }
}

impl RuntimeAgentRepository {
    fn is_reserved(&self, agent: &AgentName) -> bool {
        self.reserved_names.contains(agent)
    }
}

fn refused<'a, T: Send + 'a>(code: ErrorCode, agent: &AgentName) -> BoxFuture<'a, Result<T, AgentRepositoryError>> {
    let detail = format!("the agent '{agent}' is part of the program that serves it");
    Box::pin(std::future::ready(Err(AgentRepositoryError { code, detail })))
}
