//! Endpoints of all agents, created on first use.

use super::{Environment, EnvironmentPorts};
use crate::{EndpointContext, McpService};
use baton_types::AgentName;
use parking_lot::RwLock;
use std::{collections::HashMap, sync::Arc};

/// The Environments of all agents; those of removed agents are dropped.
pub struct Environments {
    ports: EnvironmentPorts,
    common: EndpointContext,
    endpoints: RwLock<HashMap<AgentName, Arc<McpService<Environment>>>>,
}

impl Environments {
    /// An empty set.
    pub fn new(ports: EnvironmentPorts, common: EndpointContext) -> Self {
        Self { ports, common, endpoints: RwLock::default() }
    }

    /// The ports that all Environments use.
    pub fn ports(&self) -> &EnvironmentPorts {
        &self.ports
    }

    /// The endpoint of an agent; `None` if the agent does not exist.
    pub fn endpoint(&self, agent: &AgentName) -> Option<Arc<McpService<Environment>>> {
        self.ports.agents.agent(agent)?;
        if let Some(existing) = self.endpoints.read().get(agent) {
            return Some(Arc::clone(existing));
        }
        let mut endpoints = self.endpoints.write();
        endpoints.retain(|name, _| self.ports.agents.agent(name).is_some());
        let service = endpoints.entry(agent.clone()).or_insert_with(|| {
            let environment = Environment::new(agent.clone(), self.ports.clone(), self.common.clone());
            let endpoint = environment.endpoint().to_owned();
            Arc::new(McpService::new(&endpoint, &self.common, move || environment.clone()))
        });
        Some(Arc::clone(service))
    }
}
