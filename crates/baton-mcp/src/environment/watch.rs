//! Changes of an agent, for subscribers.

use super::{agent::Agent, handoff, references};
use baton_ports::ChangeStream;
use baton_toolhost::ServerEvent;
use baton_types::{AgentResources, AgentSpec, ContextItem};
use futures_util::StreamExt;
use std::{future::pending, sync::Arc};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Tools,
    Prompts,
    Resources,
    /// The contents of a resource.
    Updated(String),
}

/// Detects changes by comparing the agent with its previous state.
pub(super) struct Watch {
    agent: Arc<Agent>,
    spec: Option<Arc<AgentSpec>>,
    kit: Arc<AgentResources>,
    handoff: Option<String>,
    definitions: Option<ChangeStream>,
    servers: Option<Receiver<ServerEvent>>,
}

impl Agent {
    /// Starts to watch for changes.
    pub(super) fn watch(self: &Arc<Self>) -> Watch {
        let ports = &self.ports;
        Watch {
            definitions: Some(ports.agents.changes()),
            servers: Some(ports.servers.events(&self.name)),
            spec: ports.agents.agent(&self.name),
            kit: ports.agents.agent_resources(&self.name),
            handoff: self.handoff(),
            agent: Arc::clone(self),
        }
    }

    /// Description of the `handoff` tool with all agents, independent of the caller.
    fn handoff(&self) -> Option<String> {
        let spec = self.ports.agents.agent(&self.name).filter(|spec| spec.enable_handoff && !spec.is_peer())?;
        Some(handoff::described(&spec, &*self.ports.agents, |_| true))
    }
}

impl Watch {
    /// Waits for changes; cancel-safe.
    pub(super) async fn next(&mut self) -> Vec<Change> {
        loop {
            let changes = tokio::select! {
                changed = definition(&mut self.definitions) => {
                    if changed.is_none() {
                        self.definitions = None;
                    }
                    self.compared()
                }
                event = server(&mut self.servers) => match event {
                    Ok(event) => of_server(event),
                    Err(RecvError::Lagged(_)) => vec![Change::Tools, Change::Prompts, Change::Resources],
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

    fn compared(&mut self) -> Vec<Change> {
        let spec = self.agent.ports.agents.agent(&self.agent.name);
        let kit = self.agent.ports.agents.agent_resources(&self.agent.name);
        let handoff = self.agent.handoff();
        let mut changes = Vec::new();
        let tools = |spec: &Option<Arc<AgentSpec>>| spec.as_ref().map(|spec| (spec.tools.clone(), spec.policy.clone()));
        let words = |spec: &Option<Arc<AgentSpec>>| spec.as_ref().map(|spec| (spec.title.clone(), spec.prompt.clone()));
        let servers = kit.servers != self.kit.servers;
        let own = tools(&spec) != tools(&self.spec) || handoff != self.handoff;
        if servers || own || kit.exports != self.kit.exports {
            changes.push(Change::Tools);
        }
        if servers || words(&spec) != words(&self.spec) {
            changes.push(Change::Prompts);
        }
        if servers || spec.as_deref().map(references::listed) != self.spec.as_deref().map(references::listed) {
            changes.push(Change::Resources);
        }
        changes.extend(updated(self.spec.as_deref(), spec.as_deref()));
        (self.spec, self.kit, self.handoff) = (spec, kit, handoff);
        changes
    }
}

/// References with a changed text.
fn updated(before: Option<&AgentSpec>, after: Option<&AgentSpec>) -> Vec<Change> {
    let Some((before, after)) = before.zip(after) else { return Vec::new() };
    let is_updated = |new: &&ContextItem| {
        let old = before.knowledge.references.iter().find(|old| old.name == new.name);
        old.is_some_and(|old| old.text != new.text)
    };
    let updated = after.knowledge.references.iter().filter(is_updated);
    updated.map(|new| Change::Updated(references::uri(&after.name, &new.name))).collect()
}

fn of_server(event: ServerEvent) -> Vec<Change> {
    match event {
        ServerEvent::Tools => vec![Change::Tools],
        ServerEvent::Prompts => vec![Change::Prompts],
        ServerEvent::Resources => vec![Change::Resources],
        ServerEvent::ResourceUpdated { uri, .. } => vec![Change::Updated(uri)],
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
