//! Agents of the program, of directories and of a storage.

use super::load::check;
use crate::{AgentOptions, ProgramAgent};
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{AgentRepository, AgentSource, BoxFuture, ChangeStream, UnusableEntry};
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec, HandoffTarget};
use std::sync::Arc;

/// Agents of the program, agents of directories and agents created at runtime. Those of the program hide others of the
/// same name and cannot be changed.
pub(crate) struct LocalAgents {
    program: Vec<(ProgramAgent, Arc<AgentListing>)>,
    pub(crate) directories: Arc<DirectoryAgents>,
    /// Whether files on disk can change the agents.
    pub(crate) is_on_disk: bool,
}

impl LocalAgents {
    pub(super) fn new(directories: DirectoryAgents, options: &AgentOptions) -> Self {
        let listed = |agent: &ProgramAgent| Arc::new(AgentListing::from_agent(&agent.spec, &agent.resources));
        let mut program: Vec<_> = options.program.iter().map(|agent| (agent.clone(), listed(agent))).collect();
        program.sort_by(|(a, _), (b, _)| a.spec.name.cmp(&b.spec.name));
        directories.reserve_names(program.iter().map(|(agent, _)| agent.spec.name.clone()).collect());
        Self {
            program,
            directories: Arc::new(directories),
            is_on_disk: !options.paths.is_empty() || options.folder.is_some(),
        }
    }

    /// No agents and no directories.
    pub(super) fn none() -> Self {
        let directories = DirectoryAgents::open_with(&[], vec![Arc::new(MemoryStorage::new())], Some(check()));
        Self::new(directories, &AgentOptions::default())
    }

    /// Watches for changes until the future is dropped.
    pub(crate) async fn watch(self: Arc<Self>) {
        self.directories.watch().await;
    }

    /// An agent of the program.
    pub(super) fn program_agent(&self, name: &AgentName) -> Option<&ProgramAgent> {
        self.program.iter().map(|(agent, _)| agent).find(|agent| agent.spec.name == *name)
    }

    /// Handoffs of the program's agents: the name of the agent and the target.
    pub(crate) fn program_handoffs(&self) -> impl Iterator<Item = (&AgentName, &HandoffTarget)> {
        let agents = self.program.iter().map(|(agent, _)| &*agent.spec);
        agents.flat_map(|spec| spec.handoffs.iter().map(|target| (&spec.name, target)))
    }

    /// Repository of the definitions.
    pub(crate) fn repository(&self) -> Arc<dyn AgentRepository> {
        self.directories.clone()
    }

    /// Remote agents that definitions hand work to.
    pub(super) fn remote_targets(&self) -> Vec<HandoffTarget> {
        let program = self.program_handoffs().map(|(_, target)| target);
        let mut targets: Vec<_> = program.filter(|target| target.url.is_some()).cloned().collect();
        targets.extend(self.directories.remote_targets());
        targets
    }

    /// Revision of the definitions; increases with every change.
    pub(super) fn revision(&self) -> u64 {
        self.directories.change_count()
    }
}

impl AgentSource for LocalAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        let stored = self.directories.agents().into_iter().filter(|agent| self.program_agent(&agent.name).is_none());
        self.program.iter().map(|(agent, _)| Arc::clone(&agent.spec)).chain(stored).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        match self.program_agent(name) {
            Some(agent) => Some(Arc::clone(&agent.spec)),
            None => self.directories.agent(name),
        }
    }

    fn listings(&self) -> Vec<Arc<AgentListing>> {
        let stored = self.directories.listings().into_iter().filter(|agent| self.program_agent(&agent.name).is_none());
        self.program.iter().map(|(_, listing)| Arc::clone(listing)).chain(stored).collect()
    }

    fn has(&self, name: &AgentName) -> bool {
        self.program_agent(name).is_some() || self.directories.has(name)
    }

    fn sole_local_agent(&self) -> Option<Arc<AgentSpec>> {
        if self.program.is_empty() {
            return self.directories.sole_local_agent();
        }
        match self.listings().as_slice() {
            [sole] => self.agent(&sole.name),
            _ => None,
        }
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        match self.program_agent(name) {
            Some(agent) => Arc::clone(&agent.resources),
            None => self.directories.agent_resources(name),
        }
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        self.directories.refresh()
    }

    fn changes(&self) -> ChangeStream {
        self.directories.changes()
    }
}
