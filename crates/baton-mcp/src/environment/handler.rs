//! The handler.

use crate::Common;
use baton_ports::{AgentDesk, AgentSource, ToolHost};
use baton_types::AgentName;
use rmcp::ServerHandler;
use std::sync::Arc;

/// Where Environments get everything from.
#[derive(Clone)]
pub struct Ports {
    /// The agents and their kits.
    pub agents: Arc<dyn AgentSource>,
    /// Runs the tools of definitions.
    pub tools: Arc<dyn ToolHost>,
    /// Asks agents for work.
    pub desk: Arc<dyn AgentDesk>,
}

/// One agent's MCP server; what it has is looked up for every request.
#[derive(Clone)]
pub struct Environment(Arc<Inner>);

struct Inner {
    agent: AgentName,
    ports: Ports,
    common: Common,
}

impl Environment {
    /// The Environment of the agent of that name.
    pub fn new(agent: AgentName, ports: Ports, common: Common) -> Self {
        Self(Arc::new(Inner { agent, ports, common }))
    }
}

impl ServerHandler for Environment {}
