//! Stored agent definitions, for creation and changes over the APIs.

use super::{LocalAgents, local::program_refusal};
use baton_agentdir::parse_anywhere;
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, BoxFuture, StoredAgent,
};
use baton_types::{AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

impl AgentRepository for LocalAgents {
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        match self.program_agent(agent) {
            Some(_) => refuse(ErrorCode::AGENT_NOT_CHANGED, agent),
            None => self.directories.stored_agent(agent),
        }
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        match self.program_agent(agent) {
            Some(_) => refuse(ErrorCode::AGENT_NOT_CHANGED, agent),
            None => self.directories.replace(agent, expected, changes),
        }
    }

    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        keeping: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        let taken = parse_anywhere(&files).agent.filter(|agent| self.program_agent(&agent.name).is_some());
        match taken {
            Some(agent) => refuse(ErrorCode::NAME_TAKEN, &agent.name),
            None => self.directories.create_agent(files, keeping),
        }
    }

    fn delete_agent<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentLocation, AgentRepositoryError>> {
        match self.program_agent(agent) {
            Some(_) => refuse(ErrorCode::AGENT_NOT_CHANGED, agent),
            None => self.directories.delete_agent(agent, expected),
        }
    }
}

fn refuse<'a, T: Send + 'a>(code: ErrorCode, agent: &AgentName) -> BoxFuture<'a, Result<T, AgentRepositoryError>> {
    Box::pin(std::future::ready(Err(AgentRepositoryError { code, detail: program_refusal(agent) })))
}
