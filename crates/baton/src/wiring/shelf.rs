//! Stored agent definitions, for creation and changes over the APIs.

use super::{agents::LocalAgents, baton::Baton};
use baton_http::DefinitionPorts;
use baton_ports::{AgentBookError, AgentFiles, AgentPlace, AgentShelf, BoxFuture, Keeping, KeptAgent};
use baton_types::{AgentName, Digest};
use std::collections::BTreeMap;

impl Baton {
    /// Storage of agent definitions.
    pub(super) fn definition_ports(&self) -> DefinitionPorts {
        DefinitionPorts { shelf: self.locals.clone() }
    }
}

impl AgentShelf for LocalAgents {
    fn kept<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        self.directories.kept(agent)
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        self.directories.replace(agent, expected, changes)
    }

    fn make<'a>(&'a self, files: AgentFiles, keeping: Keeping) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        self.directories.make(files, keeping)
    }

    fn discard<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentPlace, AgentBookError>> {
        self.directories.discard(agent, expected)
    }
}
