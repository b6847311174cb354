//! Agents of the program, of directories and of a storage.

use super::load::check;
use crate::{AgentOptions, ProgramAgent};
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{
    AgentEditor, AgentFiles, AgentRepositoryError, AgentSource, AgentUpdate, BoxFuture, ChangeStream,
    PermissionEditError, PermissionEditor, PermissionUpdate, UnusableEntry,
};
use baton_types::{
    AgentChange, AgentListing, AgentName, AgentResources, AgentSpec, ErrorCode, HandoffTarget, PermissionChange,
};
use std::sync::Arc;

/// Agents of the program, agents of directories and agents created at runtime. Those of the program hide others of the
/// same name and cannot be changed.
pub(crate) struct LocalAgents {
    program: Vec<(ProgramAgent, Arc<AgentListing>)>,
    pub(crate) directories: DirectoryAgents,
    /// Whether files on disk can change the agents.
    pub(crate) is_on_disk: bool,
}

impl LocalAgents {
    pub(super) fn new(directories: DirectoryAgents, options: &AgentOptions) -> Self {
        let listed = |agent: &ProgramAgent| Arc::new(AgentListing::from_agent(&agent.spec, &agent.resources));
        let mut program: Vec<_> = options.program.iter().map(|agent| (agent.clone(), listed(agent))).collect();
        program.sort_by(|(a, _), (b, _)| a.spec.name.cmp(&b.spec.name));
        Self { program, directories, is_on_disk: !options.paths.is_empty() || options.folder.is_some() }
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

    /// The directories, if one of them defines this agent.
    fn directories_for(&self, agent: &AgentName) -> Result<&DirectoryAgents, String> {
        if self.program_agent(agent).is_some() {
            return Err(program_refusal(agent));
        }
        let is_here = self.directories.has(agent);
        is_here
            .then_some(&self.directories)
            .ok_or_else(|| format!("no local directory defines '{agent}'; change it on its own server"))
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

/// Reason why an agent of the program cannot be changed.
pub(super) fn program_refusal(agent: &AgentName) -> String {
    format!("the agent '{agent}' is part of the program that serves it")
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

impl PermissionEditor for LocalAgents {
    fn change<'a>(
        &'a self,
        agent: &'a AgentName,
        change: PermissionChange,
    ) -> BoxFuture<'a, Result<PermissionUpdate, PermissionEditError>> {
        match self.directories_for(agent) {
            Ok(directories) => directories.change(agent, change),
            Err(detail) => {
                let code = ErrorCode::AGENT_NOT_CHANGED;
                Box::pin(std::future::ready(Err(PermissionEditError { code, detail })))
            }
        }
    }
}

impl AgentEditor for LocalAgents {
    fn amend<'a>(
        &'a self,
        agent: &'a AgentName,
        change: AgentChange,
    ) -> BoxFuture<'a, Result<AgentUpdate, AgentRepositoryError>> {
        match self.directories_for(agent) {
            Ok(directories) => directories.amend(agent, change),
            Err(detail) => change_refusal(detail),
        }
    }

    fn create<'a>(&'a self, files: AgentFiles) -> BoxFuture<'a, Result<AgentName, AgentRepositoryError>> {
        self.directories.create(files)
    }

    fn remove<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<(), AgentRepositoryError>> {
        match self.directories_for(agent) {
            Ok(directories) => directories.remove(agent),
            Err(detail) => change_refusal(detail),
        }
    }
}

fn change_refusal<'a, T: Send + 'a>(detail: String) -> BoxFuture<'a, Result<T, AgentRepositoryError>> {
    Box::pin(std::future::ready(Err(AgentRepositoryError { code: ErrorCode::AGENT_NOT_CHANGED, detail })))
}
