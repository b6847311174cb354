//! The agents of a program as an `AgentSource`.

use crate::{Agent, Error};
use baton_local::DirectoryAgents;
use baton_peers::{LocalPeerRegistry, PeerConfig, PeerRegistryOptions, TypedHostConnector};
use baton_ports::{AgentSource, BoxFuture, ChangeStream, UnusableEntry};
use baton_toolhost::NativeTools;
use baton_types::{AgentName, AgentResources, AgentSpec, ErrorCode};
use std::sync::Arc;

/// Agents defined in code, agents created at runtime, and remote agents that are handoff targets by address.
pub(super) struct ProgramAgents {
    served: Vec<(Arc<AgentSpec>, Arc<AgentResources>)>,
    runtime_agents: Arc<DirectoryAgents>,
    peer_registry: Arc<LocalPeerRegistry>,
}

/// Whether the program must define an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MinAgents {
    One,
    None,
}

impl ProgramAgents {
    /// Resolves the agents and checks the constraints between them.
    pub(super) fn resolve(
        agents: Vec<Agent>,
        runtime_agents: Arc<DirectoryAgents>,
        min_agents: MinAgents,
    ) -> Result<(Self, NativeTools), Error> {
        let wrong = |message: String| Error::new(ErrorCode::AGENT_INVALID, message);
        let mut native = NativeTools::new();
        let mut resolved: Vec<(Arc<AgentSpec>, Arc<AgentResources>)> = Vec::with_capacity(agents.len());
        for agent in agents {
            let (spec, resources) = agent.resolve(&mut native)?;
            if resolved.iter().any(|(earlier, _)| earlier.name == spec.name) {
                return Err(wrong(format!("two agents are called '{}'; give one of them another name", spec.name)));
            }
            resolved.push((Arc::new(spec), Arc::new(resources)));
        }
        if resolved.is_empty() && min_agents == MinAgents::One {
            return Err(wrong(
                "there is no agent to serve; add one with Baton::agent, or a storage with Baton::storage".to_owned(),
            ));
        }
        resolved.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        let options = PeerRegistryOptions {
            configured: Vec::new(),
            file: None,
            locals: None,
            connector: Arc::new(TypedHostConnector::new()),
        };
        let book = LocalPeerRegistry::open(options).map_err(|error| Error::new(error.code, error.detail))?;
        let all = Self { served: resolved, runtime_agents, peer_registry: Arc::new(book) };
        let targets = all.served.iter().flat_map(|(spec, _)| &spec.handoffs);
        let away = targets.filter(|target| all.find(&target.agent).is_none());
        all.peer_registry.set_referenced(away.filter_map(|target| {
            let url = target.url.as_ref()?;
            Some(PeerConfig { name: Some(target.agent.clone()), ..PeerConfig::at(url) })
        }));
        for (spec, _) in &all.served {
            if let Some(target) = spec.handoffs.iter().find(|target| all.agent(&target.agent).is_none()) {
                return Err(wrong(format!(
                    "the agent '{}' hands work to '{}', which is not served here; add it with Baton::agent",
                    spec.name, target.agent
                )));
            }
        }
        Ok((all, native))
    }

    /// Registry of the remote agents.
    pub(super) fn peer_registry(&self) -> Arc<LocalPeerRegistry> {
        Arc::clone(&self.peer_registry)
    }

    /// Names of the agents defined in code.
    pub(super) fn program_agent_names(&self) -> Vec<AgentName> {
        self.served.iter().map(|(spec, _)| spec.name.clone()).collect()
    }

    fn find(&self, name: &AgentName) -> Option<&(Arc<AgentSpec>, Arc<AgentResources>)> {
        self.served.iter().find(|(spec, _)| spec.name == *name)
    }
}

impl AgentSource for ProgramAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        let runtime_agents = self.runtime_agents.agents().into_iter().filter(|agent| self.find(&agent.name).is_none());
        self.served
            .iter()
            .map(|(spec, _)| Arc::clone(spec))
            .chain(runtime_agents)
            .chain(self.peer_registry.agents())
            .collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        let coded = self.find(name).map(|(spec, _)| Arc::clone(spec));
        coded.or_else(|| self.runtime_agents.agent(name)).or_else(|| AgentSource::agent(&*self.peer_registry, name))
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        match self.find(name) {
            Some((_, resources)) => Arc::clone(resources),
            None if self.runtime_agents.has(name) => self.runtime_agents.agent_resources(name),
            None => self.peer_registry.agent_resources(name),
        }
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        self.runtime_agents.refresh()
    }

    fn changes(&self) -> ChangeStream {
        self.runtime_agents.changes()
    }
}
