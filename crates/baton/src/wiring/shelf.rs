//! Definitions as they are kept, for those who make and change them through the surfaces.

use super::{agents::LocalAgents, baton::Baton};
use baton_http::DefinitionPorts;
use baton_ports::{AgentBookError, AgentFiles, AgentPlace, AgentShelf, BoxFuture, Keeping, KeptAgent};
use baton_types::{AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

impl Baton {
    /// Who keeps definitions.
    pub(super) fn definition_ports(&self) -> DefinitionPorts {
        DefinitionPorts { shelf: self.locals.clone() }
    }
}

impl AgentShelf for LocalAgents {
    fn kept<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        match &self.directories {
            Some(directories) => directories.kept(agent),
            None => nobody(agent),
        }
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        match &self.directories {
            Some(directories) => directories.replace(agent, expected, changes),
            None => nobody(agent),
        }
    }

    fn make<'a>(&'a self, files: AgentFiles, keeping: Keeping) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        match &self.directories {
            Some(directories) => directories.make(files, keeping),
            None => {
                refused(ErrorCode::AGENT_NOT_CHANGED, "no agents are served here; start Baton with some".to_owned())
            }
        }
    }

    fn discard<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentPlace, AgentBookError>> {
        match &self.directories {
            Some(directories) => directories.discard(agent, expected),
            None => nobody(agent),
        }
    }
}

fn nobody<'a, T: Send + 'a>(agent: &AgentName) -> BoxFuture<'a, Result<T, AgentBookError>> {
    refused(ErrorCode::AGENT_NOT_FOUND, format!("no agent '{agent}' is defined here"))
}

fn refused<'a, T: Send + 'a>(code: ErrorCode, detail: String) -> BoxFuture<'a, Result<T, AgentBookError>> {
    Box::pin(std::future::ready(Err(AgentBookError { code, detail })))
}
