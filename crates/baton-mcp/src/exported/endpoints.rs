//! Endpoints of all agents' exported tools, created on first use.

use super::{ExportedServer, server::ExportedAgent};
use crate::{EndpointContext, McpService};
use baton_ports::{AgentInvoker, AgentSource};
use baton_types::AgentName;
use parking_lot::RwLock;
use std::{collections::HashMap, sync::Arc};

/// The exported tools of all agents; endpoints of removed agents are dropped.
pub struct ExportedEndpoints {
    agents: Arc<dyn AgentSource>,
    invoker: Arc<dyn AgentInvoker>,
    common: EndpointContext,
    endpoints: RwLock<HashMap<AgentName, Arc<McpService<ExportedServer>>>>,
}

impl ExportedEndpoints {
    /// An empty set.
    pub fn new(agents: Arc<dyn AgentSource>, invoker: Arc<dyn AgentInvoker>, common: EndpointContext) -> Self {
        Self { agents, invoker, common, endpoints: RwLock::default() }
    }

    /// The endpoint of an agent, even if it exports no tools; `None` if the agent does not exist.
    pub fn endpoint(&self, agent: &AgentName) -> Option<Arc<McpService<ExportedServer>>> {
        self.agents.agent(agent)?;
        if let Some(existing) = self.endpoints.read().get(agent) {
            return Some(Arc::clone(existing));
        }
        let mut endpoints = self.endpoints.write();
        endpoints.retain(|name, _| self.agents.agent(name).is_some());
        let service = endpoints.entry(agent.clone()).or_insert_with(|| {
            let served = Arc::new(ExportedAgent {
                agent: agent.clone(),
                agents: Arc::clone(&self.agents),
                invoker: Arc::clone(&self.invoker),
                heartbeat: self.common.limits.heartbeat,
            });
            let endpoint = format!("agents/{agent}/exported");
            Arc::new(McpService::new(&endpoint, &self.common, move || ExportedServer::new(Arc::clone(&served))))
        });
        Some(Arc::clone(service))
    }
}
