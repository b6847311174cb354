//! Changes of an agent, for subscribers.

use super::{agent::EnvironmentAgent, handoff, references};
use baton_ports::ChangeStream;
use baton_toolhost::ServerEvent;
use baton_types::{AgentResources, AgentSpec, ContextItem};
use futures_util::StreamExt;
use std::{future::pending, sync::Arc};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EnvironmentChange {
    Tools,
    Prompts,
    Resources,
    /// The contents of a resource.
    Updated(String),
}

/// Detects changes by comparing the agent with its previous state.
pub(super) struct EnvironmentWatcher {
    agent: Arc<EnvironmentAgent>,
    spec: Option<Arc<AgentSpec>>,
    resources: Arc<AgentResources>,
    handoff: Option<String>,
    definitions: Option<ChangeStream>,
    servers: Option<Receiver<ServerEvent>>,
}

impl EnvironmentAgent {
    /// Starts to watch for changes.
    pub(super) fn watch(self: &Arc<Self>) -> EnvironmentWatcher {
        let ports = &self.ports;
        EnvironmentWatcher {
            definitions: Some(ports.agents.changes()),
            servers: Some(ports.servers.events(&self.name)),
            spec: ports.agents.agent(&self.name),
            resources: ports.agents.agent_resources(&self.name),
            handoff: self.handoff_description(),
            agent: Arc::clone(self),
        }
    }

    /// Description of the `handoff` tool with all agents, independent of the caller.
    fn handoff_description(&self) -> Option<String> {
        let spec = self.ports.agents.agent(&self.name).filter(|spec| spec.enable_handoff && !spec.is_peer())?;
        Some(handoff::description(&spec, &*self.ports.agents, |_| true))
    }
}

impl EnvironmentWatcher {
    /// Waits for changes; cancel-safe.
    pub(super) async fn next(&mut self) -> Vec<EnvironmentChange> {
        loop {
            let changes = tokio::select! {
                changed = definition(&mut self.definitions) => {
                    if changed.is_none() {
                        self.definitions = None;
                    }
                    self.diff()
                }
                event = server(&mut self.servers) => match event {
                    Ok(event) => from_server_event(event),
                    Err(RecvError::Lagged(_)) => vec![EnvironmentChange::Tools, EnvironmentChange::Prompts, EnvironmentChange::Resources],
                    Err(RecvError::Closed) => {
                        self.servers = None;
                        Vec::new()
                    }
                },
            };
            if !changes.is_empty() {
                return changes;
            }
        }
    }

    fn diff(&mut self) -> Vec<EnvironmentChange> {
        let spec = self.agent.ports.agents.agent(&self.agent.name);
        let resources = self.agent.ports.agents.agent_resources(&self.agent.name);
        let handoff = self.agent.handoff_description();
        let mut changes = Vec::new();
        let tools = |spec: &Option<Arc<AgentSpec>>| spec.as_ref().map(|spec| (spec.tools.clone(), spec.policy.clone()));
        let texts = |spec: &Option<Arc<AgentSpec>>| spec.as_ref().map(|spec| (spec.title.clone(), spec.prompt.clone()));
        let servers = resources.servers != self.resources.servers;
        let own = tools(&spec) != tools(&self.spec) || handoff != self.handoff;
        if servers || own || resources.exports != self.resources.exports {
            changes.push(EnvironmentChange::Tools);
        }
        if servers || texts(&spec) != texts(&self.spec) {
            changes.push(EnvironmentChange::Prompts);
        }
        if servers || spec.as_deref().map(references::summaries) != self.spec.as_deref().map(references::summaries) {
            changes.push(EnvironmentChange::Resources);
        }
        changes.extend(updated_references(self.spec.as_deref(), spec.as_deref()));
        (self.spec, self.resources, self.handoff) = (spec, resources, handoff);
        changes
    }
}

/// References with a changed text.
fn updated_references(before: Option<&AgentSpec>, after: Option<&AgentSpec>) -> Vec<EnvironmentChange> {
    let Some((before, after)) = before.zip(after) else { return Vec::new() };
    let is_updated = |new: &&ContextItem| {
        let old = before.knowledge.references.iter().find(|old| old.name == new.name);
        old.is_some_and(|old| old.text != new.text)
    };
    let updated = after.knowledge.references.iter().filter(is_updated);
    updated.map(|new| EnvironmentChange::Updated(references::uri(&after.name, &new.name))).collect()
}

fn from_server_event(event: ServerEvent) -> Vec<EnvironmentChange> {
    match event {
        ServerEvent::Tools => vec![EnvironmentChange::Tools],
        ServerEvent::Prompts => vec![EnvironmentChange::Prompts],
        ServerEvent::Resources => vec![EnvironmentChange::Resources],
        ServerEvent::ResourceUpdated { uri, .. } => vec![EnvironmentChange::Updated(uri)],
        ServerEvent::Status => Vec::new(),
    }
}

async fn definition(definitions: &mut Option<ChangeStream>) -> Option<()> {
    match definitions {
        Some(definitions) => definitions.next().await,
        None => pending().await,
    }
}

async fn server(servers: &mut Option<Receiver<ServerEvent>>) -> Result<ServerEvent, RecvError> {
    match servers {
        Some(servers) => servers.recv().await,
        None => pending().await,
    }
}
