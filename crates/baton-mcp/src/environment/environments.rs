//! Endpoints of all agents, created on first use.

use super::{Environment, Ports};
use crate::{Common, McpService};
use baton_types::AgentName;
use parking_lot::RwLock;
use std::{collections::HashMap, sync::Arc};

/// The Environments of all agents; those of removed agents are dropped.
pub struct Environments {
    ports: Ports,
    common: Common,
    made: RwLock<HashMap<AgentName, Arc<McpService<Environment>>>>,
}

impl Environments {
    /// An empty set.
    pub fn new(ports: Ports, common: Common) -> Self {
        Self { ports, common, made: RwLock::default() }
    }

    /// The ports that all Environments use.
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// The endpoint of an agent; `None` if the agent does not exist.
    pub fn of(&self, agent: &AgentName) -> Option<Arc<McpService<Environment>>> {
        self.ports.agents.agent(agent)?;
        if let Some(made) = self.made.read().get(agent) {
            return Some(Arc::clone(made));
        }
        let mut made = self.made.write();
        made.retain(|name, _| self.ports.agents.agent(name).is_some());
        let service = made.entry(agent.clone()).or_insert_with(|| {
            let environment = Environment::new(agent.clone(), self.ports.clone(), self.common.clone());
            let endpoint = environment.endpoint().to_owned();
            Arc::new(McpService::new(&endpoint, &self.common, move || environment.clone()))
        });
        Some(Arc::clone(service))
    }
}
