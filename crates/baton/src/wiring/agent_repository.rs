//! Stored agent definitions, for creation and changes over the APIs.

use super::{agents::LocalAgents, baton::Baton};
use baton_http::DefinitionPorts;
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, BoxFuture, StoredAgent,
};
use baton_types::{AgentName, Digest};
use std::collections::BTreeMap;

impl Baton {
    /// Storage of agent definitions.
    pub(super) fn definition_ports(&self) -> DefinitionPorts {
        DefinitionPorts { repository: self.locals.clone() }
    }
}

impl AgentRepository for LocalAgents {
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        self.directories.stored_agent(agent)
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        self.directories.replace(agent, expected, changes)
    }

    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        keeping: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        self.directories.create_agent(files, keeping)
    }

    fn delete_agent<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentLocation, AgentRepositoryError>> {
        self.directories.delete_agent(agent, expected)
    }
}
